// Hand-made conversations in every layout that jp has written since April 2025, and what today's jp would write.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace turnlog {

struct JpLayoutSample {
  std::string name;
  std::map<std::string, std::string> files;
  std::string config;               // today's base_config.json, as JSON
  std::vector<std::string> events;  // today's elements, as JSON

  // The file with the events, and its name.
  const std::string& history() const { return files.at(history_name()); }
  std::string history_name() const { return files.contains("events.json") ? "events.json" : "messages.json"; }
  bool packed() const { return !files.contains("base_config.json"); }
};

void PrintTo(const JpLayoutSample& sample, std::ostream* out);

const std::vector<JpLayoutSample>& JpLayouts();

}  // namespace turnlog
