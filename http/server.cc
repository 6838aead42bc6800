// The only file that serves with Boost.Beast. Each connection is one coroutine on its own strand.
//
// Each `co_await` is a statement of its own, with named operands: g++ 12 compiles others wrongly.
#include "http/server.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/secret_string.h"
#include "base/try.h"
#include "http/body_room.h"

namespace turnlog {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

using Stream = boost::beast::basic_stream<asio::generic::stream_protocol>;
using Buffer = boost::beast::basic_flat_buffer<WipingAllocator<char>>;
using Parser = http::request_parser<http::buffer_body>;

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kFirstRead = std::size_t{16} << 10;
constexpr std::size_t kPiece = std::size_t{64} << 10;
constexpr std::size_t kReservedAtOnce = std::size_t{1} << 20;  // of a body, before any byte of it has come
constexpr std::chrono::milliseconds kLinger{1000};
constexpr int kLingerPieces = 64;
constexpr std::chrono::milliseconds kAcceptAgain{100};  // after the system had no descriptor to spare

std::string_view ViewOf(boost::beast::string_view text) { return {text.data(), text.size()}; }

class Server;

// What reading a request came to: an HTTP status that refuses it, or one of these.
constexpr int kRead = 0;
constexpr int kClosed = -1;

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Server& server, Stream stream, bool local)
      : server_(server), stream_(std::move(stream)), idle_timer_(stream_.get_executor()), local_(local) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  void Start();
  // From any thread.
  void BeginStop();
  void Cut();

 private:
  asio::awaitable<void> Run();
  asio::awaitable<bool> Serve();
  asio::awaitable<int> ReadHead(Parser& parser);
  asio::awaitable<int> ReadBody(Parser& parser, HttpRequest& request, BodyRoom& room);
  // These get references to what lives in the coroutine that awaits them.
  asio::awaitable<void> Refuse(const HttpResponse& response);
  asio::awaitable<bool> Respond(HttpResponse& response, bool keep, const Parser& parser);
  asio::awaitable<bool> SendStream(BodySource& source, std::string& text, bool chunked);
  asio::awaitable<bool> WaitForMore(const BodySource& source);
  asio::awaitable<bool> Send(std::string_view text);

  Server& server_;
  Stream stream_;
  asio::steady_timer idle_timer_;
  const bool local_;
  Buffer buffer_;
  // On the strand.
  bool stopping_ = false;
  bool waiting_ = false;  // for a request
  bool woken_ = false;
};

class Server : public HttpServer {
 public:
  explicit Server(const HttpLimits& limits) : limits_(limits), bodies_(limits.all_body_bytes) {}
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() override { Server::Stop(std::chrono::seconds(1)); }

  Status OpenAll(std::span<const SocketAddress> addresses);
  void Start(HttpApplication& application, unsigned threads) override;

  std::span<const SocketAddress> addresses() const override { return addresses_; }
  std::size_t connections() const override {
    const std::scoped_lock lock(mutex_);
    return connections_.size();
  }
  void Stop(std::chrono::milliseconds grace) override;

  HttpApplication& application() { return *application_; }
  const HttpLimits& limits() const { return limits_; }
  BodyBudget& bodies() { return bodies_; }
  void Remove(Connection& connection);

 private:
  using Strand = asio::strand<asio::io_context::executor_type>;

  struct Listener {
    Listener(const Strand& strand, int number, bool is_local)
        : descriptor(strand, number), timer(strand), local(is_local) {}
    asio::posix::stream_descriptor descriptor;
    asio::steady_timer timer;
    bool local;
  };

  asio::awaitable<void> AcceptAll(Listener& listener);
  void Accept(SocketDescriptor socket, bool local);
  void ForAll(void (Connection::*action)());

  HttpApplication* application_ = nullptr;
  const HttpLimits limits_;
  std::vector<SocketAddress> addresses_;
  BodyBudget bodies_;

  mutable std::mutex mutex_;
  std::condition_variable none_left_;
  std::unordered_map<Connection*, std::weak_ptr<Connection>> connections_;
  std::atomic<bool> stopping_ = false;

  asio::io_context io_;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<std::thread> threads_;
};

// --- Server ---

Status Server::OpenAll(std::span<const SocketAddress> addresses) {
  for (const SocketAddress& address : addresses) {
    SocketDescriptor descriptor = TURNLOG_TRY(Listen(address));
    addresses_.push_back(address);
    if (!address.local()) addresses_.back().port = PortOf(descriptor);
    listeners_.push_back(std::make_unique<Listener>(asio::make_strand(io_), descriptor.Release(), address.local()));
  }
  return {};
}

void Server::Start(HttpApplication& application, unsigned threads) {
  application_ = &application;
  for (const auto& listener : listeners_) {
    asio::co_spawn(listener->descriptor.get_executor(), AcceptAll(*listener), [](const std::exception_ptr&) {});
  }
  work_.emplace(io_.get_executor());
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { io_.run(); });
}

asio::awaitable<void> Server::AcceptAll(Listener& listener) {
  while (!stopping_) {
    const auto [error] = co_await listener.descriptor.async_wait(asio::posix::stream_descriptor::wait_read, kNoThrow);
    if (error) co_return;
    SocketDescriptor socket(
        ::accept4(listener.descriptor.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.open()) {
      Accept(std::move(socket), listener.local);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      listener.timer.expires_after(kAcceptAgain);
      [[maybe_unused]] const auto [waited] = co_await listener.timer.async_wait(kNoThrow);
    }
  }
}

void Server::Accept(SocketDescriptor socket, bool local) {
  const int on = 1;
  if (!local) (void)::setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  asio::generic::stream_protocol::socket accepted(asio::make_strand(io_));
  boost::system::error_code error;
  // The protocol matters for opening a socket only, and this one is open.
  (void)accepted.assign(asio::generic::stream_protocol(AF_UNIX, 0), socket.number(), error);
  if (error) return;
  (void)socket.Release();
  const auto connection = std::make_shared<Connection>(*this, Stream(std::move(accepted)), local);
  {
    const std::scoped_lock lock(mutex_);
    connections_.emplace(connection.get(), connection);
    if (connections_.size() > limits_.connections || stopping_) return;  // which closes it
  }
  connection->Start();
}

void Server::Remove(Connection& connection) {
  const std::scoped_lock lock(mutex_);
  connections_.erase(&connection);
  if (connections_.empty()) none_left_.notify_all();
}

void Server::ForAll(void (Connection::*action)()) {
  std::vector<std::shared_ptr<Connection>> all;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, weak] : connections_) {
      if (auto connection = weak.lock()) all.push_back(std::move(connection));
    }
  }
  for (const auto& connection : all) (connection.get()->*action)();
}

void Server::Stop(std::chrono::milliseconds grace) {
  if (threads_.empty()) return;
  stopping_ = true;
  for (const auto& listener : listeners_) {
    asio::post(listener->descriptor.get_executor(), [&each = *listener] {
      boost::system::error_code ignored;
      (void)each.descriptor.close(ignored);
      each.timer.cancel();
    });
  }
  ForAll(&Connection::BeginStop);
  const auto none = [this] { return connections_.empty(); };
  std::unique_lock lock(mutex_);
  if (!none_left_.wait_for(lock, grace, none)) {
    lock.unlock();
    ForAll(&Connection::Cut);
    lock.lock();
    none_left_.wait(lock, none);
  }
  lock.unlock();
  work_.reset();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

// --- Connection ---

Connection::~Connection() { server_.Remove(*this); }

void Connection::Start() {
  asio::co_spawn(stream_.get_executor(), Run(), [self = shared_from_this()](const std::exception_ptr&) {});
}

void Connection::BeginStop() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    self->stopping_ = true;
    self->idle_timer_.cancel();
    if (self->waiting_) self->stream_.close();
  });
}

void Connection::Cut() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] { self->stream_.close(); });
}

asio::awaitable<void> Connection::Run() {
  for (bool more = true; more;) {
    more = co_await Serve();
  }
}

HttpRequest ToRequest(const Parser& parser, bool local) {
  const auto& message = parser.get();
  const std::string_view target = ViewOf(message.target());
  const std::size_t mark = std::min(target.find('?'), target.size());
  HttpRequest request{.method = std::string(ViewOf(message.method_string())),
                      .path = std::string(target.substr(0, mark)),
                      .query = std::string(target.substr(std::min(mark + 1, target.size()))),
                      .headers = {},
                      .body = {},
                      .local = local};
  for (const auto& field : message) {
    request.headers.push_back({std::string(ViewOf(field.name_string())), std::string(ViewOf(field.value()))});
  }
  return request;
}

// One request; false: the connection is to be closed.
asio::awaitable<bool> Connection::Serve() {
  Parser parser;
  HttpApplication& application = server_.application();
  int outcome = co_await ReadHead(parser);
  if (outcome == kClosed) co_return false;
  if (outcome != kRead) {
    const HttpResponse refusal = application.Refuse(outcome, "malformed or too large request");
    co_await Refuse(refusal);
    co_return false;
  }
  HttpRequest request = ToRequest(parser, local_);
  const HttpResponse admission = application.Admit(request);
  if (admission.status >= 400) {
    co_await Refuse(admission);
    co_return false;
  }
  BodyRoom room(server_.bodies());
  outcome = co_await ReadBody(parser, request, room);
  if (outcome == kClosed) co_return false;
  if (outcome != kRead) {
    const HttpResponse refusal = application.Refuse(outcome, "malformed or too large body");
    co_await Refuse(refusal);
    co_return false;
  }
  const bool keep = parser.keep_alive() && !stopping_;
  HttpResponse response = application.Handle(request);
  request.body.Clear();
  const bool complete = co_await Respond(response, keep, parser);
  co_return complete&& keep && !stopping_;
}

int RefusalFor(const boost::system::error_code& error) {
  if (error == http::error::header_limit) return 431;
  if (error == http::error::body_limit) return 413;
  if (error == boost::beast::error::timeout) return kClosed;
  return error.category() == make_error_code(http::error::bad_method).category() &&
                 error != http::error::end_of_stream && error != http::error::partial_message
             ? 400
             : kClosed;
}

asio::awaitable<int> Connection::ReadHead(Parser& parser) {
  const HttpLimits& limits = server_.limits();
  if (buffer_.size() == 0) {
    if (stopping_) co_return kClosed;
    stream_.expires_after(limits.idle_time);
    waiting_ = true;
    const auto [error, got] = co_await stream_.async_read_some(buffer_.prepare(kFirstRead), kNoThrow);
    waiting_ = false;
    if (error) co_return kClosed;
    buffer_.commit(got);
  }
  parser.header_limit(static_cast<std::uint32_t>(limits.header_bytes));
  parser.body_limit(limits.body_bytes);
  stream_.expires_after(limits.header_time);
  const auto [error, got] = co_await http::async_read_header(stream_, buffer_, parser, kNoThrow);
  if (error) co_return RefusalFor(error);
  const auto& message = parser.get();
  // Two lengths of one body are how requests are smuggled past proxies.
  const bool two_lengths =
      message.count(http::field::transfer_encoding) > 0 && message.count(http::field::content_length) > 0;
  co_return message.target().starts_with('/') && !two_lengths ? kRead : 400;
}

asio::awaitable<int> Connection::ReadBody(Parser& parser, HttpRequest& request, BodyRoom& room) {
  if (parser.is_done()) co_return kRead;
  if (parser.get()[http::field::expect] == "100-continue" && buffer_.size() == 0) {
    const bool sent = co_await Send("HTTP/1.1 100 Continue\r\n\r\n");
    if (!sent) co_return kClosed;
  }
  SecretString& body = request.body;
  const auto length = parser.content_length();
  if (length) body.Reserve(static_cast<std::size_t>(std::min<std::uint64_t>(*length, kReservedAtOnce)));
  while (!parser.is_done()) {
    const std::size_t size = body.size();
    const std::size_t piece =
        length ? static_cast<std::size_t>(std::min<std::uint64_t>(*length - size, kPiece)) : kPiece;
    if (!room.Grow(piece)) co_return 503;
    const std::span<char> free = body.Resize(size + piece).subspan(size);
    parser.get().body().data = free.data();
    parser.get().body().size = free.size();
    parser.get().body().more = true;
    stream_.expires_after(server_.limits().progress_time);
    const auto [error, got] = co_await http::async_read_some(stream_, buffer_, parser, kNoThrow);
    if (error && error != http::error::need_buffer) co_return RefusalFor(error);
    (void)body.Resize(size + piece - parser.get().body().size);
  }
  co_return kRead;
}

// The client may still be sending, and closing then would drop the response before it is read.
asio::awaitable<void> Connection::Refuse(const HttpResponse& response) {
  const std::string text = HeadOf(response, false, false) + response.body;
  const bool sent = co_await Send(text);
  if (!sent) co_return;
  boost::system::error_code ignored;
  (void)stream_.socket().shutdown(asio::socket_base::shutdown_send, ignored);
  stream_.expires_after(kLinger);
  for (int pieces = 0; pieces < kLingerPieces; ++pieces) {
    buffer_.clear();
    const auto [error, got] = co_await stream_.async_read_some(buffer_.prepare(kPiece), kNoThrow);
    if (error) break;
  }
}

asio::awaitable<bool> Connection::Respond(HttpResponse& response, bool keep, const Parser& parser) {
  const bool chunked = parser.get().version() >= 11;
  if (response.stream != nullptr && !chunked) keep = false;
  std::string head = HeadOf(response, keep, chunked);
  const bool head_only = parser.get().method() == http::verb::head;
  if (head_only || response.stream == nullptr) {
    if (!head_only) head.append(response.body);
    const bool sent = co_await Send(head);
    co_return sent;
  }
  response.stream->OnWake([weak = weak_from_this(), executor = stream_.get_executor()] {
    asio::post(executor, [weak] {
      const auto self = weak.lock();
      if (self == nullptr) return;
      self->woken_ = true;
      self->idle_timer_.cancel();
    });
  });
  const bool complete = co_await SendStream(*response.stream, head, chunked);
  co_return complete&& chunked;
}

// `text`: the head of the response.
asio::awaitable<bool> Connection::SendStream(BodySource& source, std::string& text, bool chunked) {
  std::string piece;
  for (;;) {
    woken_ = false;
    piece.clear();
    const auto state = source.Read(piece);
    if (!state) co_return false;
    if (chunked && !piece.empty()) {
      text += fmt::format("{:x}\r\n", piece.size());
      text += piece;
      text += "\r\n";
    } else {
      text += piece;
    }
    if (chunked && *state == BodySource::State::kEnd) text += "0\r\n\r\n";
    if (!text.empty()) {
      const bool sent = co_await Send(text);
      if (!sent) co_return false;
      source.Sent();
    }
    Wipe(text);  // it may have been a secret
    Wipe(piece);
    if (*state == BodySource::State::kEnd) co_return true;
    if (*state == BodySource::State::kIdle) {
      const bool more = co_await WaitForMore(source);
      if (!more) co_return false;
    }
  }
}

// False: the server stops.
asio::awaitable<bool> Connection::WaitForMore(const BodySource& source) {
  buffer_.shrink_to_fit();
  if (!stopping_ && !woken_) {
    idle_timer_.expires_after(source.idle_limit());
    [[maybe_unused]] const auto [cancelled] = co_await idle_timer_.async_wait(kNoThrow);
  }
  co_return !stopping_;
}

asio::awaitable<bool> Connection::Send(std::string_view text) {
  stream_.expires_after(server_.limits().progress_time);
  const auto [error, sent] = co_await asio::async_write(stream_, asio::buffer(text.data(), text.size()), kNoThrow);
  co_return !error;
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::Open(std::span<const SocketAddress> addresses,
                                                     const HttpLimits& limits) {
  auto server = std::make_unique<Server>(limits);
  TURNLOG_TRY(server->OpenAll(addresses));
  return server;
}

}  // namespace turnlog
