// The text of a jp events.json as events, and back. Pure: no files, no log.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/jp_reader.h"
#include "turnlog/event.h"
#include "turnlog/import.h"

namespace turnlog {

struct JpHistory {
  std::optional<std::string> packed_config;  // the first element with its lead, if it is the conversation's config
  std::string trailer;                       // behind the last element, if it is not what jp writes
  std::vector<Event> events;
  std::vector<ImportProblem> problems, notes;  // the caller names the file
  bool redacted = false;                       // an answer to a secret question stood there in clear
};

// `packed`: there is no base_config.json, so a config_delta in front is not an event but the base config.
// Fails if the text is not one array; what is wrong with an element is one of the problems.
std::expected<JpHistory, BadText> ReadJpHistory(std::string_view text, bool packed);

// Writes an events.json from its beginning to its end.
class JpHistoryWriter {
 public:
  explicit JpHistoryWriter(std::string& out) : out_(out) {}

  void AddConfig(std::string_view packed_config);  // before anything else
  void Add(const EventView& event);
  void Finish(std::string_view trailer);  // empty: as jp writes it

 private:
  std::string& out_;
  bool first_ = true;
};

}  // namespace turnlog
