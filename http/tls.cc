#include "http/tls.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/errno_text.h"
#include "base/try.h"
#include "http/socket.h"

namespace turnlog {
namespace {

struct Free {
  void operator()(SSL* tls) const { ::SSL_free(tls); }
  void operator()(SSL_CTX* context) const { ::SSL_CTX_free(context); }
  void operator()(BIO_METHOD* method) const { ::BIO_meth_free(method); }
};
using Context = std::shared_ptr<SSL_CTX>;

std::unexpected<Error> Wrong(std::string message) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(message)});
}

// OpenSSL's last error; its queue is empty then.
std::string LastReason() {
  std::array<char, 256> reason{};
  ::ERR_error_string_n(::ERR_peek_last_error(), reason.data(), reason.size());
  ::ERR_clear_error();
  return reason.data();
}

// --- OpenSSL's own access to sockets raises SIGPIPE. ---

int SocketOf(BIO* bio) { return static_cast<int>(reinterpret_cast<std::intptr_t>(::BIO_get_data(bio))); }

int WriteSocket(BIO* bio, const char* bytes, int size) {
  ::BIO_clear_retry_flags(bio);
  const ssize_t sent = ::send(SocketOf(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) ::BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int ReadSocket(BIO* bio, char* bytes, int size) {
  ::BIO_clear_retry_flags(bio);
  const ssize_t got = ::recv(SocketOf(bio), bytes, static_cast<std::size_t>(size), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) ::BIO_set_retry_read(bio);
  return static_cast<int>(got);
}

long Control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

const BIO_METHOD* SocketMethod() {
  static const std::unique_ptr<BIO_METHOD, Free> made = [] {
    std::unique_ptr<BIO_METHOD, Free> method(::BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "turnlog"));
    if (method == nullptr) return method;
    (void)::BIO_meth_set_write(method.get(), WriteSocket);
    (void)::BIO_meth_set_read(method.get(), ReadSocket);
    (void)::BIO_meth_set_ctrl(method.get(), Control);
    return method;
  }();
  return made.get();
}

// --- Channels ---

class TlsChannel : public Channel {
 public:
  TlsChannel(std::unique_ptr<SSL, Free> tls, int socket) : tls_(std::move(tls)), socket_(socket) {}

  Step Read(std::span<char> out) override {
    std::size_t got = 0;
    ::ERR_clear_error();
    const int done = ::SSL_read_ex(tls_.get(), out.data(), out.size(), &got);
    return After(done, got);
  }
  Step ReadWithin(std::span<char> out, std::chrono::milliseconds time) override {
    const Step step = Read(out);
    if (step.state != State::kWantsRead || AwaitEvents(socket_, POLLIN, time) != 0) return step;
    return Read(out);
  }
  Step Write(std::string_view bytes) override {
    std::size_t sent = 0;
    ::ERR_clear_error();
    const int done = ::SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &sent);
    return After(done, sent);
  }
  bool silent() override { return Peek() == State::kWantsRead; }
  bool ended() override { return Peek() == State::kEnded; }
  void EndWriting() override {
    if (!failed_) (void)::SSL_shutdown(tls_.get());
    (void)::shutdown(socket_, SHUT_WR);
  }

  std::string refusal() const override { return refusal_; }

 private:
  State Peek() {
    char next = 0;
    std::size_t got = 0;
    ::ERR_clear_error();
    const int done = ::SSL_peek_ex(tls_.get(), &next, 1, &got);
    return After(done, got).state;
  }

  Step After(int done, std::size_t bytes) {
    if (done == 1) return {State::kMoved, bytes};
    const int error = ::SSL_get_error(tls_.get(), done);
    if (error == SSL_ERROR_WANT_READ) return {State::kWantsRead, 0};
    if (error == SSL_ERROR_WANT_WRITE) return {State::kWantsWrite, 0};
    if (error == SSL_ERROR_SSL || error == SSL_ERROR_SYSCALL) failed_ = true;
    const bool lost = ERR_GET_REASON(::ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
    if (const auto verified = ::SSL_get_verify_result(tls_.get()); verified != X509_V_OK) {
      refusal_ = fmt::format("the server's certificate: {}", ::X509_verify_cert_error_string(verified));
    } else if (error == SSL_ERROR_SSL && ::SSL_is_init_finished(tls_.get()) == 0 && !lost) {
      refusal_ = fmt::format("no encrypted connection: {}", LastReason());
    }
    return {};
  }

  const std::unique_ptr<SSL, Free> tls_;
  const int socket_;
  bool failed_ = false;
  std::string refusal_;
};

std::unique_ptr<SSL, Free> NewTls(SSL_CTX* context, int socket) {
  std::unique_ptr<SSL, Free> tls(::SSL_new(context));
  BIO* const bio = tls == nullptr || SocketMethod() == nullptr ? nullptr : ::BIO_new(SocketMethod());
  if (bio == nullptr) return nullptr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the number of a descriptor, never used as an address
  ::BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket)));
  ::BIO_set_init(bio, 1);
  ::SSL_set_bio(tls.get(), bio, bio);
  return tls;
}

// An idle connection keeps no buffers, and OpenSSL overwrites what it has decrypted once it was read.
Context NewContext(const SSL_METHOD* method) {
  ::ERR_clear_error();
  Context context(::SSL_CTX_new(method), Free());
  if (context == nullptr) return context;
  (void)::SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  (void)::SSL_CTX_set_mode(
      context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  (void)::SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_CLEANSE_PLAINTEXT);
  return context;
}

Status CheckKeyFile(const std::filesystem::path& key) {
  struct stat status{};
  if (::stat(key.c_str(), &status) != 0) return Wrong(fmt::format("{}: {}", key.string(), ErrnoText(errno)));
  const bool owned = status.st_uid == ::geteuid() || status.st_uid == 0;
  if (owned && (status.st_mode & 0077) == 0) return {};
  return Wrong(fmt::format("{}: others can use this private key; it must be this user's or root's, with mode 0600",
                           key.string()));
}

Result<Context> LoadContext(const std::filesystem::path& certificate, const std::filesystem::path& key) {
  TURNLOG_TRY(CheckKeyFile(key));
  Context context = NewContext(::TLS_server_method());
  if (context == nullptr) return Wrong(LastReason());
  (void)::SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  (void)::SSL_CTX_set_num_tickets(context.get(), 0);
  // OpenSSL's own would ask for the password of an encrypted key at the terminal.
  ::SSL_CTX_set_default_passwd_cb(context.get(), [](char*, int, int, void*) { return 0; });
  if (::SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()) != 1) {
    return Wrong(fmt::format("{} is no certificate: {}", certificate.string(), LastReason()));
  }
  if (::SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return Wrong(fmt::format("{} is no private key of this certificate: {}", key.string(), LastReason()));
  }
  return context;
}

class LoadedServer : public TlsServer {
 public:
  LoadedServer(std::filesystem::path certificate, std::filesystem::path key, Context context)
      : certificate_(std::move(certificate)), key_(std::move(key)), context_(std::move(context)) {}

  Status Reload() override {
    Context loaded = TURNLOG_TRY(LoadContext(certificate_, key_));
    const std::scoped_lock lock(mutex_);
    context_ = std::move(loaded);
    return {};
  }

  std::unique_ptr<Channel> Accept(int socket) override {
    std::unique_lock lock(mutex_);
    const Context context = context_;
    lock.unlock();
    auto tls = NewTls(context.get(), socket);
    if (tls == nullptr) return nullptr;
    ::SSL_set_accept_state(tls.get());
    return std::make_unique<TlsChannel>(std::move(tls), socket);
  }

 private:
  const std::filesystem::path certificate_, key_;
  std::mutex mutex_;
  Context context_;
};

class TrustingClient : public TlsClient {
 public:
  explicit TrustingClient(Context context) : context_(std::move(context)) {}

  Result<std::unique_ptr<Channel>> Connect(int socket, const std::string& host) const override {
    ::ERR_clear_error();
    auto tls = NewTls(context_.get(), socket);
    if (tls == nullptr) return std::unexpected(Error{ErrorCode::kIo, LastReason()});
    const bool is_number = ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(tls.get()), host.c_str()) == 1;
    if (!is_number) {
      // SSL_set_tlsext_host_name without its cast.
      (void)::SSL_ctrl(tls.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                       const_cast<char*>(host.c_str()));
      if (::SSL_set1_host(tls.get(), host.c_str()) != 1) return std::unexpected(Error{ErrorCode::kIo, LastReason()});
    }
    ::SSL_set_connect_state(tls.get());
    return std::make_unique<TlsChannel>(std::move(tls), socket);
  }

 private:
  const Context context_;
};

}  // namespace

Result<std::unique_ptr<TlsServer>> TlsServer::Load(std::filesystem::path certificate, std::filesystem::path key) {
  Context context = TURNLOG_TRY(LoadContext(certificate, key));
  return std::make_unique<LoadedServer>(std::move(certificate), std::move(key), std::move(context));
}

Result<std::unique_ptr<TlsClient>> TlsClient::Make(const std::filesystem::path& authorities) {
  Context context = NewContext(::TLS_client_method());
  const bool trusts =
      context != nullptr && (authorities.empty() ? ::SSL_CTX_set_default_verify_paths(context.get())
                                                 : ::SSL_CTX_load_verify_file(context.get(), authorities.c_str())) == 1;
  if (!trusts) return Wrong(fmt::format("{} is no list of certificates: {}", authorities.string(), LastReason()));
  ::SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  return std::make_unique<TrustingClient>(std::move(context));
}

}  // namespace turnlog
