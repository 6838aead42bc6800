// Browsers that use the page of a running service: pairing a new one, listing and signing out those that are there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "turnlog/result.h"
#include "turnlog/types.h"

namespace turnlog {

struct BrowserSession {
  std::string id;
  std::string who;  // the person's name; may be empty
  Timestamp begun;
};

// `socket`: of the service (ServiceSocket). kNotFound: no service listens there.

// A link that opens the page and signs the browser in, once, within ten minutes. kConflict: the service has no address
// for browsers.
Result<std::string> RequestPairingLink(const std::filesystem::path& socket, const std::string& who);
// Oldest first.
Result<std::vector<BrowserSession>> ListBrowserSessions(const std::filesystem::path& socket);
// kNotFound also: there is no such session.
Status EndBrowserSession(const std::filesystem::path& socket, const std::string& id);

}  // namespace turnlog
