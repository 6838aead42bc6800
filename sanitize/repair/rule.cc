#include "sanitize/repair/rule.h"

#include <algorithm>
#include <array>

namespace turnlog {
namespace {

constexpr std::array kRules{
    RepairRule::kLeadingEvent,        RepairRule::kOrphanToolResult,   RepairRule::kInterruptedToolCall,
    RepairRule::kOrphanInquiryAnswer, RepairRule::kOrphanInquiry,      RepairRule::kTrailingTurn,
    RepairRule::kRepeatedLeadingTurn, RepairRule::kMissingLeadingTurn, RepairRule::kMovedToolResult,
    RepairRule::kInterruptedInquiry,  RepairRule::kEmptyTurn,          RepairRule::kCompactionRange,
};
static_assert(kRules.size() == static_cast<std::size_t>(RepairRule::kCompactionRange) + 1);

}  // namespace

std::string_view ToString(RepairProfile profile) {
  switch (profile) {
    case RepairProfile::kStrict:
      return "strict";
    case RepairProfile::kJp082:
      return "jp082";
  }
  return "unknown";
}

std::string_view ToString(RepairRule rule) {
  switch (rule) {
    case RepairRule::kLeadingEvent:
      return "leading-event";
    case RepairRule::kOrphanToolResult:
      return "orphan-tool-result";
    case RepairRule::kInterruptedToolCall:
      return "interrupted-tool-call";
    case RepairRule::kOrphanInquiryAnswer:
      return "orphan-inquiry-answer";
    case RepairRule::kOrphanInquiry:
      return "orphan-inquiry";
    case RepairRule::kTrailingTurn:
      return "trailing-turn";
    case RepairRule::kRepeatedLeadingTurn:
      return "repeated-leading-turn";
    case RepairRule::kMissingLeadingTurn:
      return "missing-leading-turn";
    case RepairRule::kMovedToolResult:
      return "moved-tool-result";
    case RepairRule::kInterruptedInquiry:
      return "interrupted-inquiry";
    case RepairRule::kEmptyTurn:
      return "empty-turn";
    case RepairRule::kCompactionRange:
      return "compaction-range";
  }
  return "unknown";
}

bool IsRuleName(std::string_view name) {
  return std::ranges::any_of(kRules, [&](RepairRule rule) { return ToString(rule) == name; });
}

}  // namespace turnlog
