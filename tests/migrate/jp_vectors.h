// The expected results for jp histories in the shared folder, as texts.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "turnlog/event.h"
#include "turnlog/migrate/import.h"

namespace turnlog {

struct JpVector {
  std::string name;
  std::string mode;
  bool packed = false;                               // the first element is the base config
  std::string input;                                 // an events.json
  std::optional<std::vector<std::string>> expected;  // elements as AppendJpElement writes them; none: jp cannot load it
};

void PrintTo(const JpVector& vector, std::ostream* out);

// The rules of the branch's tip where it differs from its first commit. Throws if the file is malformed.
std::vector<JpVector> ReadJpVectors(const std::filesystem::path& file);

// Everything that the reader returns for an events.json.
struct JpHistory {
  std::optional<std::string> packed_config, torn;
  std::string trailer;
  std::vector<Event> events;
  std::vector<std::optional<std::uint64_t>> elements;  // of which each event is; none: of damage
  std::vector<ImportProblem> problems, notes;
  bool redacted = false;    // it contained a clear answer to a secret question
  std::uint64_t taken = 0;  // bytes of the text that could be read
};

struct BadHistory {
  std::uint64_t byte = 0;
  std::string reason;
};

// `packed`: there is no base_config.json. `file`: the name of the text.
std::expected<JpHistory, BadHistory> ReadJpHistory(std::string_view text, bool packed,
                                                   const std::string& file = "events.json");

// What an export writes.
std::string WriteBack(const JpHistory& history);

// One element in jp's layout within its array.
std::string JpLayout(std::string_view json);
// Each event as jp would write it.
std::vector<std::string> JpElements(const std::vector<Event>& events);

}  // namespace turnlog
