// The engine that uses a running service (`logctl serve`): any number of processes append to one store through it.
//
// What it promises is what the service's engine promises, with Capabilities::many_writers and without appends_later. A
// lost connection is made again, also to a service that was restarted, and the call is resumed: an append is in the log
// once. Only one that was sent to a service which was then restarted, whose events have neither event_ids nor an
// expected_last, fails with kIo, because it cannot be known whether it was written.
// A read-only handle sees the log as it is at each call; Refresh does nothing. A cursor reads ahead: of an event that
// was erased or redacted after the cursor was opened, it may return the old contents.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

struct RemoteOptions {
  OpenMode mode = OpenMode::kWrite;
  std::string token;  // for a service at a TCP address
  // For https: a PEM file of the certificates to trust; empty: those of the system, or of OpenSSL's SSL_CERT_FILE.
  std::filesystem::path authorities = {};
  // How long a call tries again to reach a service that does not answer, or that it has lost while it waited.
  std::chrono::milliseconds patience = std::chrono::seconds(10);
};

// `location`: "unix:PATH" of the service's socket, "http://127.0.0.1:PORT", or "https://HOST:PORT/PATH". kNotFound: no
// service listens there. kInvalidArgument: its certificate is not trusted.
Result<std::unique_ptr<Log>> OpenRemoteLog(const std::string& location, const RemoteOptions& options = {});

// Whether the location of a log is for this engine.
bool IsServiceLocation(std::string_view location);

// The socket of the service that serves the store in this folder, if there is one.
std::filesystem::path ServiceSocket(const std::filesystem::path& store);

}  // namespace turnlog
