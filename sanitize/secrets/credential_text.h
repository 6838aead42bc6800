// The credentials in the text of a file that a program keeps them in.
#pragma once

#include <string_view>
#include <vector>

#include "base/secret_string.h"

namespace turnlog {

// The searchable values (see WhyNotSearchable) of a dotenv file, netrc, pgpass, an ini or YAML file, JSON, or a list of
// URLs: what follows a name that says that it is secret, passwords in URLs, and private keys. Not what is no secret of
// its own: a reference to another variable, a path, and, unless it is called a password, mere words. What is encoded,
// in base64 or as the file needs it, is there decoded, too.
std::vector<SecretString> CredentialsIn(std::string_view text);

// Only the private keys.
std::vector<SecretString> PrivateKeysIn(std::string_view text);

}  // namespace turnlog
