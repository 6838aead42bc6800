// Encrypted channels, over OpenSSL: TLS 1.2 and later.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "http/channel.h"
#include "turnlog/result.h"

namespace turnlog {

// The server's side: its certificate and private key. Threads: all members may be called from any thread at once.
class TlsServer {
 public:
  // PEM files: the certificate with the chain that leads to it, and the key. kInvalidArgument: they cannot be used, or
  // other users than the owner, who must be this user or root, have any right to the key.
  static Result<std::unique_ptr<TlsServer>> Load(std::filesystem::path certificate, std::filesystem::path key);
  virtual ~TlsServer() = default;
  // Reads the files again, for new connections. After an error the former ones are used further.
  virtual Status Reload() = 0;
  // The client's handshake happens with the first bytes that are read. Null: out of memory.
  virtual std::unique_ptr<Channel> Accept(int socket) = 0;
};

// The client's side: whom to trust.
class TlsClient {
 public:
  // `authorities`: a PEM file of certificates; empty: those of the system. kInvalidArgument: it cannot be used.
  static Result<std::unique_ptr<TlsClient>> Make(const std::filesystem::path& authorities);
  virtual ~TlsClient() = default;
  // `host`: a name or IP address, which the server's certificate must have. The handshake happens with the first bytes.
  // kIo: OpenSSL's reason.
  virtual Result<std::unique_ptr<Channel>> Connect(int socket, const std::string& host) const = 0;
};

}  // namespace turnlog
