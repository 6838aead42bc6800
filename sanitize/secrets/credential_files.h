// The credentials that programs keep in files of the home folder: values that are known to be secrets.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/secret_string.h"
#include "turnlog/result.h"

namespace turnlog {

// The searchable values (see WhyNotSearchable) of a dotenv file, netrc, an ini or YAML file, JSON, or a list of URLs:
// what follows a name that says that it is secret, and passwords in URLs.
std::vector<SecretString> CredentialsIn(std::string_view text);

// Of the files of this home that exist: dotenv, netrc, pgpass, and those of clouds, registries and git.
Result<std::vector<SecretString>> KnownCredentials(const std::filesystem::path& home);

}  // namespace turnlog
