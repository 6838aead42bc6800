// The credentials that programs keep in files of the home folder: values that are known to be secrets.
#pragma once

#include <filesystem>
#include <vector>

#include "base/secret_string.h"
#include "turnlog/result.h"

namespace turnlog {

// The credentials (see credential_text.h) in the files of this home that exist: dotenv, netrc, pgpass, those of clouds,
// registries, git and coding agents, and the private keys of ssh.
Result<std::vector<SecretString>> KnownCredentials(const std::filesystem::path& home);

}  // namespace turnlog
