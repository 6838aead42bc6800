// Everything that a format reads from files in memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "migrate/format.h"

namespace turnlog {

struct ReadConversation {
  std::vector<Event> events;
  std::map<std::string, std::string> parts;
  std::string written;  // what an export writes
};

struct ReadSource {
  std::map<std::string, ReadConversation> conversations;
  std::vector<std::string> problems, notes;  // see LocatedCode; of events: ", line 3: code"
  std::uint64_t size = 0;                    // of the source
  std::optional<std::uint64_t> source_size;  // if it is not that of its files
  std::uint64_t taken = 0;                   // by its items; the rest is not readable

  // REQUIRES: there is one.
  ReadConversation& only() { return conversations.begin()->second; }
};

using SourceFiles = std::vector<std::pair<std::string, std::string>>;  // name, bytes

// Fails the test if an event is not valid.
ReadSource ReadAll(const Format& format, Source& source);
ReadSource ReadFiles(const Format& format, const SourceFiles& files);

// Renames each `type` of the sample in turn, as if turnlog did not know it: nothing may be lost or refused.
void ExpectThatUnknownKindsAreKept(const Format& format, const std::string& file, const std::string& sample);

// The JSON forms of the events, without their times, ids, metadata and original texts.
std::vector<std::string> Shapes(const std::vector<Event>& events);

}  // namespace turnlog
