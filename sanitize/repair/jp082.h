// The profile jp082. docs/sanitizer_rules.md has its rules; each is a step here, and Finish runs them in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "turnlog/sanitize/sanitize.h"

namespace turnlog {

class Jp082Planner {
 public:
  // REQUIRES: in order of seq.
  void Add(Seq seq, const EventView& event);

  // The steps. Each works on the result of the previous ones.
  void DropLeadingEvents();
  void DropOrphanToolResults();
  void CloseInterruptedToolCalls();
  void PairInquiries();
  void DropTrailingTurn();
  void LeaveOneLeadingTurn();
  RepairPlan TakePlan();

  RepairPlan Finish();

 private:
  struct Entry {
    Seq seq;
    EventKind kind{};
    std::size_t id = 0;  // index into ids_, 0 is the empty id
    std::optional<Timestamp> time;
    std::optional<RepairRule> dropped;
  };

  static bool InTurn(const Entry& entry) { return !IsGlobal(entry.kind); }  // what jp treats as an event
  static bool Kept(const Entry& entry) { return !entry.dropped; }
  std::size_t Intern(std::string_view id);
  std::size_t FirstKept(EventKind kind) const;  // entries_.size() if there is none
  Finding Why(const Entry& entry, RepairRule rule) const;
  void DropExcess(EventKind kind, EventKind partner, RepairRule rule);
  static void DropExcessOfTurn(std::span<Entry> turn, EventKind kind, EventKind partner, RepairRule rule);
  void InsertTurnStart(const Entry& before, std::optional<Timestamp> time);

  std::vector<Entry> entries_;
  std::vector<std::string> ids_{""};
  std::unordered_map<std::string, std::size_t> id_index_{{"", 0}};
  Seq head_;
  std::vector<Insert> inserts_;
};

}  // namespace turnlog
