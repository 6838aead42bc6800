// Serves one log to many processes: HTTP and JSON, event streams, metrics. docs/http_api.md has the protocol,
// remote_log.h the client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/log.h"
#include "turnlog/maintenance.h"
#include "turnlog/result.h"
#include "turnlog/service/sync_metrics.h"

namespace turnlog {

struct ServiceOptions {
  std::filesystem::path socket = {};  // Unix socket, for processes of the same user; empty: none
  std::string listen = {};            // an address and port, "127.0.0.1:8080"; empty: none. Port 0: a free one
  // Listening sockets that the process was started with (systemd): used beside `socket`, or instead of it if one of
  // them is that socket, and instead of `listen`. The service takes them over.
  std::vector<int> inherited = {};
  // PEM files, with which the service itself encrypts what goes over TCP; others must have no right to the key.
  // `listen` may then be an address that other machines reach.
  std::filesystem::path tls_certificate = {}, tls_key = {};
  // A proxy in front of the TCP address, which encrypts: `listen` may be an address that other machines reach.
  bool behind_proxy = false;
  std::string public_url = {};  // of the page, as browsers reach it: "https://host/path"; empty: the TCP address
  std::string base_path = {};   // "/path", below which everything is served; empty: the path of `public_url`
  // A token with all rights, for clients of `listen`; at least kMinTokenBytes, or empty: only named tokens and browsers
  // that were paired get in.
  std::string token = {};
  std::filesystem::path sessions = {};  // the file of the browsers that are signed in; empty: until the service stops
  std::filesystem::path tokens = {};    // the file of named tokens (access_tokens.h); empty: there are none
  unsigned threads = 0;                 // that handle requests; 0: as many as is usual
  // The memory that bodies of requests take together, in bytes, while they arrive and are handled: about four times
  // their size. Those for which there is none have to wait, or to come again. 0: as much as is usual.
  std::uint64_t body_memory = 0;
  // Checks the files of the store, for a job that verifies; empty: there is none.
  std::function<Result<VerifyReport>(const Progress& progress)> verify = {};
  // Rebuilds the index of the store beside everything else (ReindexLog), for a job that does; empty: it has none.
  std::function<Result<bool>(const ReindexOptions& options)> reindex = {};
  // How the store keeps new events (SetCompression, ParseCompression); empty: it has no such setting.
  std::function<Status(std::string_view compression)> set_compression = {};
  std::shared_ptr<const SyncMetrics> syncs = {};  // of `log`, for the metrics; null: it does not report them
  // Who is told when questions wait: "webhook:https://host/path" or "exec:COMMAND". Webhooks are signed with the key,
  // which has kMinTokenBytes at least.
  std::vector<std::string> notify = {};
  std::string notify_key = {};
  // One line of JSON for each request, without contents and ids. Called from any thread.
  std::function<void(std::string_view line)> access_log = {};
};

inline constexpr std::size_t kMinTokenBytes = 16;

class Service {
 public:
  // `log` is open for writing, and outlives the service. The socket's file must belong to no other running service,
  // which is so if it is in the folder of the log. kInvalidArgument: other machines reach the address and nothing
  // encrypts, the certificate cannot be used, the token or the key is too short, or an option is malformed. kIo: the
  // system's error.
  static Result<std::unique_ptr<Service>> Start(Log& log, const ServiceOptions& options);
  // Whether Start could use the certificate and its key, before there is a log. kInvalidArgument: it could not.
  static Status CheckCertificate(const ServiceOptions& options);
  // The same for what it notifies, and the key that signs that.
  static Status CheckNotifications(const ServiceOptions& options);
  // The same for the public URL and the base path.
  static Status CheckPublicAddress(const ServiceOptions& options);
  // Stops it.
  virtual ~Service() = default;

  // The same log. What is appended through it is pushed to waiting clients at once; what others append through the log
  // itself, with delay.
  virtual Log& log() = 0;
  // The locations for OpenLog: "unix:PATH", "http://127.0.0.1:8080", "https://10.0.0.5:8443".
  virtual std::vector<std::string> locations() const = 0;
  // A link that opens the page in a browser and signs it in, once. `who`: the name of the person. Empty: no `listen`.
  virtual std::string PairingLink(const std::string& who) = 0;
  // Reads the certificate and its key again, for new connections. After an error the former ones are used further.
  virtual Status ReloadCertificate() = 0;
  // Accepts nothing more, finishes what is being handled, ends streams, removes the socket. The log stays open.
  virtual void Stop() = 0;
};

}  // namespace turnlog
