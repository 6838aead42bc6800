// Each `co_await` is a statement of its own, with named operands: g++ 12 compiles others wrongly.
#include "http/server_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/error.hpp>
#include <optional>
#include <utility>

#include "http/body_piece.h"
#include "http/collected_body.h"

namespace turnlog {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kFirstRead = std::size_t{16} << 10;
constexpr std::size_t kPiece = std::size_t{64} << 10;
constexpr unsigned kChunkedVersion = 11;  // the first one that has chunks
constexpr std::string_view kLineBreak = "\r\n", kLastChunk = "0\r\n\r\n";
constexpr std::string_view kChunkHead = "00000000\r\n";         // the length, in hexadecimal digits
constexpr std::size_t kBytesOfRequest = std::size_t{16} << 10;  // as much work as handling one
constexpr std::chrono::milliseconds kLinger{1000};
// A stream that waits for longer is woken by the server, which is less exact and costs no timer.
constexpr std::chrono::milliseconds kExactWait{10'000};
constexpr int kLingerPieces = 64;
constexpr std::chrono::milliseconds kRoomAgain{20};  // between two looks whether there is room for a body

// What reading a request came to: an HTTP status that refuses it, or one of these.
constexpr int kRead = 0;
constexpr int kClosed = -1;
constexpr int kRefused = -2;  // with a response

std::string_view ViewOf(boost::beast::string_view text) { return {text.data(), text.size()}; }

HttpRequest ToRequest(const http::request_parser<http::buffer_body>& parser, bool local) {
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

// Without leaving a copy behind, which may hold a secret.
void MakeRoom(std::size_t bytes, std::string& text) {
  if (text.capacity() - text.size() >= bytes) return;
  std::string larger;
  larger.reserve(text.size() + bytes);
  larger = text;
  Wipe(text);
  text = std::move(larger);
}

// Makes what was appended since `begin`, after kChunkHead, one chunk; nothing is none.
void EndChunk(std::string& text, std::size_t begin, bool is_last) {
  const std::size_t length = text.size() - begin - kChunkHead.size();
  MakeRoom(kLineBreak.size() + kLastChunk.size(), text);
  if (length == 0) {
    text.resize(begin);
  } else {
    fmt::format_to_n(text.data() + begin, kChunkHead.size() - kLineBreak.size(), "{:08x}", length);
    text += kLineBreak;
  }
  if (is_last) text += kLastChunk;
}

// What a proxy may take for something else: two lengths of one body, an encoding that hides its length or that its
// version does not know, or a field given twice by which it is decided who may do what.
bool IsAmbiguous(const http::request_parser<http::buffer_body>::value_type& message) {
  const auto encodings = message.count(http::field::transfer_encoding);
  if (encodings > 0 && message.version() < kChunkedVersion) return true;
  if (encodings > 0 && message.count(http::field::content_length) > 0) return true;
  if (encodings > 0 && !boost::beast::iequals(message[http::field::transfer_encoding], "chunked")) return true;
  constexpr std::array kOnce{http::field::transfer_encoding, http::field::host, http::field::origin,
                             http::field::authorization};
  return std::ranges::any_of(kOnce, [&](http::field field) { return message.count(field) > 1; });
}

// The parser joins the lines of a field, which others may take for two fields or for none.
bool HasFoldedLine(std::string_view fields) { return fields.contains("\r\n ") || fields.contains("\r\n\t"); }

std::string_view ReasonOf(int status) {
  if (status == 503) return "the bodies of other requests take all memory that is meant for them: try again later";
  return status == 413 ? "the body is too large" : "malformed body";
}

int RefusalFor(const boost::system::error_code& error) {
  if (error == http::error::header_limit) return 431;
  if (error == http::error::body_limit) return 413;
  return 400;
}

}  // namespace

ServerConnection::ServerConnection(ConnectionOwner& owner, const asio::any_io_executor& strand, SocketDescriptor socket,
                                   std::unique_ptr<Channel> channel, bool local)
    : owner_(owner),
      channel_(owner, strand, std::move(socket), std::move(channel), owner.limits().progress_time),
      idle_timer_(channel_.executor()),
      local_(local) {}

ServerConnection::~ServerConnection() { owner_.Remove(*this); }

// Posted: run from here, a request that has already come would be handled by the thread that accepts connections.
void ServerConnection::Start() {
  asio::post(channel_.executor(), [self = shared_from_this()] {
    asio::co_spawn(self->channel_.executor(), self->Run(), [self](const std::exception_ptr&) {});
  });
}

void ServerConnection::BeginStop() {
  asio::post(channel_.executor(), [self = shared_from_this()] {
    self->stopping_ = true;
    self->idle_timer_.cancel();
    if (self->waiting_) self->Close();
  });
}

void ServerConnection::Cut() {
  asio::post(channel_.executor(), [self = shared_from_this()] { self->Close(); });
}

void ServerConnection::Expire() {
  asio::post(channel_.executor(), [self = shared_from_this()] {
    if (Clock::now() < self->deadline()) return;  // it has gone on meanwhile
    self->idling_ ? static_cast<void>(self->idle_timer_.cancel()) : self->Close();
  });
}

void ServerConnection::Close() {
  channel_.Close();
  idle_timer_.cancel();
}

asio::awaitable<void> ServerConnection::Run() {
  for (bool more = true; more;) {
    more = co_await Serve();
    if (!more) break;
    more = co_await channel_.GiveWay(kBytesOfRequest);
  }
}

// g++ 12 inlines how Asio allocates a frame, and not that it is freed likewise.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

// One request; false: the connection is to be closed.
asio::awaitable<bool> ServerConnection::Serve() {
  Parser parser;
  HttpApplication& application = owner_.application();
  int outcome = co_await ReadHead(parser);
  if (outcome == kClosed) co_return false;
  if (outcome != kRead) {
    HttpRequest unknown;
    unknown.local = local_;
    const HttpResponse refusal = application.Refuse(unknown, outcome, "malformed or too large request");
    co_await Refuse(refusal);
    co_return false;
  }
  HttpRequest request = ToRequest(parser, local_);
  const HttpResponse admission = application.Admit(request);
  if (admission.status >= 400) {
    co_await Refuse(admission);
    co_return false;
  }
  BodyRoom room(owner_.bodies());
  HttpResponse refusal;
  outcome = co_await ReceiveBody(parser, request, room, refusal);
  if (outcome == kClosed) co_return false;
  if (outcome != kRead) {
    co_await Refuse(refusal);
    co_return false;
  }
  const bool keep = parser.keep_alive() && !stopping_;
  channel_.EndNever();
  HttpResponse response = application.Handle(request);
  request.body = {};
  request.sink.reset();
  room.Release();
  if (response.messages != nullptr) {
    co_await BeginMessages(response);
    co_return false;
  }
  const bool complete = co_await Respond(response, keep, parser);
  co_return complete&& keep && !stopping_;
}

#pragma GCC diagnostic pop

asio::awaitable<int> ServerConnection::ReadHead(Parser& parser) {
  const HttpLimits& limits = owner_.limits();
  if (channel_.buffer().size() == 0) {
    if (stopping_) co_return kClosed;
    channel_.EndWithin(begun_ || local_ ? limits.idle_time : limits.header_time);
    waiting_ = true;
    // A client that waits for each response sends its next request soon.
    const auto patience = begun_ ? ServerChannel::Patience::kStay : ServerChannel::Patience::kNone;
    const bool begun = co_await channel_.Receive(kFirstRead, patience);
    waiting_ = false;
    if (!begun) co_return kClosed;
    begun_ = true;
  }
  parser.header_limit(static_cast<std::uint32_t>(limits.header_bytes));
  parser.body_limit(boost::none);  // it depends on the request
  channel_.EndWithin(limits.header_time);
  for (;;) {
    boost::system::error_code error;
    const auto unread = channel_.buffer().data();
    const std::size_t taken = parser.put(unread, error);
    const bool folded = HasFoldedLine({static_cast<const char*>(unread.data()), taken});  // fields are taken whole
    channel_.buffer().consume(taken);
    if (folded) co_return 400;
    if (parser.is_header_done()) break;
    if (error && error != http::error::need_more) co_return RefusalFor(error);
    const bool more = co_await channel_.Receive(kFirstRead);
    if (!more) co_return kClosed;
  }
  co_return parser.get().target().starts_with('/') && !IsAmbiguous(parser.get()) ? kRead : 400;
}

// Into the request, or with a response that refuses it.
asio::awaitable<int> ServerConnection::ReceiveBody(Parser& parser, HttpRequest& request, BodyRoom& room,
                                                   HttpResponse& refusal) {
  if (parser.is_done()) co_return kRead;
  channel_.EndNever();  // the head has come, and waiting for room has a limit of its own
  HttpApplication& application = owner_.application();
  const auto length = parser.content_length();
  request.sink = application.SinkFor(request, length ? std::optional<std::uint64_t>(*length) : std::nullopt);
  if (request.sink == nullptr) {
    request.sink = std::make_shared<CollectedBody>(length ? std::optional<std::uint64_t>(*length) : std::nullopt);
  }
  int outcome = 413;
  if (request.sink->endless() || !length || *length <= owner_.limits().body_bytes) {
    if (!request.sink->endless()) outcome = co_await Claim(length.value_or(0), room);
    if (request.sink->endless() || outcome == kRead) outcome = co_await ReadBody(parser, request, room, refusal);
  }
  if (outcome > 0) refusal = application.Refuse(request, outcome, ReasonOf(outcome));
  if (outcome == kRead) {
    request.body = request.sink->Release();
  } else {
    request.sink.reset();
    room.Release();
  }
  co_return outcome > 0 ? kRefused : outcome;
}

// A large body waits before anything of it is read, if its length is known: 0 is unknown.
asio::awaitable<int> ServerConnection::Claim(std::uint64_t length, BodyRoom& room) {
  constexpr std::uint64_t kUsualCostOfByte = 5;
  constexpr std::uint64_t kBytesInSecond = std::uint64_t{8} << 20;  // a slower one leaves room to others
  const std::uint64_t cost = length * kUsualCostOfByte;
  if (cost <= BodyBudget::kSmall) co_return kRead;
  room.Claim(cost, Clock::now() + std::chrono::seconds(1 + length / kBytesInSecond));
  const int outcome = co_await WaitForRoom(BodyBudget::kSmall + 1, room);
  co_return outcome;
}

asio::awaitable<int> ServerConnection::ReadBody(Parser& parser, HttpRequest& request, BodyRoom& room,
                                                HttpResponse& refusal) {
  if (parser.get()[http::field::expect] == "100-continue" && channel_.buffer().size() == 0) {
    const bool sent = co_await channel_.Send("HTTP/1.1 100 Continue\r\n\r\n");
    if (!sent) co_return kClosed;
  }
  bool starved = false;
  while (!parser.is_done()) {
    channel_.EndWithin(owner_.limits().progress_time);
    if (starved || channel_.buffer().size() == 0) {
      const bool more = co_await channel_.Receive(kPiece);
      if (!more) co_return kClosed;
    }
    channel_.EndNever();
    const int taken = TakePiece(parser, request, starved, refusal);
    if (taken != kRead) co_return taken;
    const int outcome = co_await WaitForRoom(request.sink->cost(), room);
    if (outcome != kRead) co_return outcome;
  }
  co_return kRead;
}

// `starved`: the parser needs more than what has come.
int ServerConnection::TakePiece(Parser& parser, HttpRequest& request, bool& starved, HttpResponse& refusal) {
  const HttpLimits& limits = owner_.limits();
  BodyPiece piece;
  const auto error = piece.Parse(parser, channel_.buffer());
  starved = error == http::error::need_more;
  // What a chunk begins with, or follows the last one, is no body, and its length is not limited by the parser.
  if (starved && channel_.buffer().size() > limits.header_bytes) return 400;
  if (error && !starved && error != http::error::need_buffer) return RefusalFor(error);
  request.body_bytes += piece.view().size();
  if (!request.sink->endless() && request.body_bytes > limits.body_bytes) return 413;
  if (const Status taken = request.sink->Take(piece.view()); !taken) {
    refusal = owner_.application().RefuseBody(request, taken.error());
    return kRefused;
  }
  return kRead;
}

// Its client gets back-pressure meanwhile: nothing more is read.
asio::awaitable<int> ServerConnection::WaitForRoom(std::uint64_t bytes, BodyRoom& room) {
  if (bytes <= room.taken()) co_return kRead;
  const auto end = Clock::now() + owner_.limits().room_time;
  for (;;) {
    switch (room.GrowTo(bytes)) {
      case BodyBudget::Grant::kTaken:
        co_return kRead;
      case BodyBudget::Grant::kRefused:
        co_return 503;
      case BodyBudget::Grant::kTooLarge:
        co_return 413;
      case BodyBudget::Grant::kWait:
        break;
    }
    if (channel_.closed()) co_return kClosed;
    if (stopping_ || Clock::now() >= end) co_return 503;
    idle_timer_.expires_after(kRoomAgain);
    [[maybe_unused]] const auto [cancelled] = co_await idle_timer_.async_wait(kNoThrow);
  }
}

// The client may still be sending, and closing then would drop the response before it is read.
asio::awaitable<void> ServerConnection::Refuse(const HttpResponse& response) {
  const std::string text = HeadOf(response, false, false) + response.body;
  const bool sent = co_await channel_.Send(text);
  if (!sent) co_return;
  channel_.EndWriting();
  channel_.EndWithin(kLinger);
  for (int pieces = 0; pieces < kLingerPieces; ++pieces) {
    channel_.buffer().clear();
    const bool more = co_await channel_.Receive(kPiece);
    if (!more) break;
  }
}

// From now on the connection belongs to the thread that serves messages.
asio::awaitable<void> ServerConnection::BeginMessages(HttpResponse& response) {
  const std::string head = HeadOf(response, true, false);
  const bool sent = co_await channel_.Send(head);
  if (!sent) co_return;
  const auto idle_time = owner_.limits().idle_time;
  channel_.EndWithin(idle_time);
  const auto received = channel_.buffer().data();
  owner_.messages().Add({.socket = channel_.number(),
                         .owner = shared_from_this(),
                         .on_message = [this, idle_time] { channel_.EndWithin(idle_time); },
                         .handler = std::move(response.messages)},
                        {static_cast<const char*>(received.data()), received.size()});
}

asio::awaitable<bool> ServerConnection::Respond(HttpResponse& response, bool keep, const Parser& parser) {
  const bool chunked = parser.get().version() >= kChunkedVersion;
  channel_.BeginResponse();
  if (response.stream != nullptr && !chunked) keep = false;
  std::string head = HeadOf(response, keep, chunked);
  const bool head_only = parser.get().method() == http::verb::head;
  if (head_only || response.stream == nullptr) {
    if (!head_only) head.append(response.body);
    const bool sent = co_await channel_.Send(head);
    if (sent && !keep) channel_.EndWriting();
    co_return sent;
  }
  response.stream->OnWake([weak = weak_from_this(), executor = channel_.executor()] {
    asio::post(executor, [weak] {
      const auto self = weak.lock();
      if (self == nullptr) return;
      self->woken_ = true;
      self->idle_timer_.cancel();
    });
  });
  const bool complete = co_await SendStream(*response.stream, head, chunked);
  if (complete && !keep) channel_.EndWriting();  // its end is the end of the response, if it has no chunks
  co_return complete&& chunked;
}

// `text`: the head of the response. Each piece is read behind it, or behind the length of its chunk.
asio::awaitable<bool> ServerConnection::SendStream(BodySource& source, std::string& text, bool chunked) {
  for (;;) {
    woken_ = false;
    const std::size_t begin = text.size();
    if (chunked) text += kChunkHead;
    const auto state = source.Read(text);
    if (!state) {
      Wipe(text);  // it may hold a secret
      co_return false;
    }
    if (chunked) EndChunk(text, begin, *state == BodySource::State::kEnd);
    bool sent = true;
    if (!text.empty()) {
      sent = co_await channel_.Send(text);
      if (sent) source.Sent();
    }
    Wipe(text);
    if (!sent) co_return false;
    if (*state == BodySource::State::kEnd) co_return true;
    if (*state == BodySource::State::kIdle) {
      std::string().swap(text);  // its capacity is that of the largest piece so far
      const bool more = co_await WaitForMore(source);
      if (!more) co_return false;
    }
  }
}

// False: the server stops, or the client has gone. What is written to a connection that was closed with TCP's FIN is
// taken by the system, and a secret would count as handed over.
asio::awaitable<bool> ServerConnection::WaitForMore(const BodySource& source) {
  channel_.buffer().shrink_to_fit();
  if (!stopping_ && !woken_) {
    const auto limit = source.idle_limit();
    limit < kExactWait ? channel_.EndNever() : channel_.EndWithin(limit);
    idle_timer_.expires_at(limit < kExactWait ? Clock::now() + limit : Clock::time_point::max());
    idling_ = true;
    if (source.ends_with_client()) WatchClient();
    [[maybe_unused]] const auto [cancelled] = co_await idle_timer_.async_wait(kNoThrow);
    idling_ = false;
    channel_.EndWatch();
  }
  co_return !stopping_ && !channel_.ended();
}

// Its end wakes the stream. One that already sends its next request is not watched any more.
void ServerConnection::WatchClient() {
  channel_.Watch([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr || !self->idling_) return;
    if (self->channel_.ended()) {
      self->idle_timer_.cancel();
    } else if (self->channel_.silent()) {
      self->WatchClient();
    }
  });
}

}  // namespace turnlog
