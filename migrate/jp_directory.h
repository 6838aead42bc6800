// jp's folders: where the conversations are, and what is in one of them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "turnlog/import.h"
#include "turnlog/types.h"

namespace turnlog {

struct JpPlace {
  std::filesystem::path path;
  bool archived = false;
};

// The conversations at `path`, in order of their names. What is none is one of the problems.
void FindJpConversations(const std::filesystem::path& path, std::vector<JpPlace>& places,
                         std::vector<ImportProblem>& problems);

struct JpDirectory {
  std::string name;
  bool archived = false;
  std::string events;                        // events.json
  std::map<std::string, std::string> files;  // the other files, by name
};

// Leaves out folders, and the `.tmp` files of an interrupted save.
Result<JpDirectory> ReadJpDirectory(const JpPlace& place);

// The number that the folder's name begins with, up to the first '-': deciseconds since 1970.
Result<ConversationId> JpConversationId(std::string_view directory);

// Of everything in the folder, so that what has not changed need not be looked at.
std::string Fingerprint(const JpDirectory& directory);

}  // namespace turnlog
