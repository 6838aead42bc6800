// Writes events as today's jp would, whatever they were imported from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "base/hash.h"
#include "turnlog/event.h"
#include "turnlog/migrate/export.h"

namespace turnlog {

// Writes an events.json sequentially. Memory: 16 bytes for each question that is left out.
class JpModernWriter {
 public:
  // `start`: the time of events before the first that has one. `layout`: kJpMain, or today's.
  JpModernWriter(ExportLayout layout, Timestamp start, std::string& out) : layout_(layout), time_(start), out_(out) {}

  void Add(const EventView& event);
  void Finish();

  // Number of events that jp would refuse.
  std::uint64_t left_out() const { return left_out_; }
  // The configuration of the conversation, if the first event of the oldest layout had it; empty if not.
  const std::string& config() const { return config_; }

 private:
  bool Loads(const EventView& event);
  void Write(EventView event);

  const ExportLayout layout_;
  Timestamp time_;  // of the last event
  std::string& out_;
  std::string config_, scratch_;
  bool first_ = true;
  std::uint64_t left_out_ = 0;
  std::unordered_set<Hash128> left_out_questions_;
};

}  // namespace turnlog
