#include <algorithm>
#include <utility>

#include "transcript/handoff.h"
#include "transcript/touched_files.h"

namespace turnlog {
namespace {

using Kind = TranscriptEntry::Kind;
constexpr std::size_t kLastTurns = 3;

// What tools have written in the user's name is no request.
bool IsRequest(const TranscriptEntry& entry) { return entry.kind == Kind::kUser && entry.name != "harness"; }

bool IsOpen(const TranscriptEntry& entry) {
  return entry.kind == Kind::kCall ? !entry.result : entry.kind == Kind::kQuestion && entry.outcome == "Pending";
}

bool IsDecision(const TranscriptEntry& entry) {
  if (entry.kind == Kind::kCall) return entry.result && entry.result->denied;
  return entry.kind == Kind::kQuestion && entry.outcome != "Pending";
}

}  // namespace

std::vector<HandoffItem> Handoff::LastEntries() const {
  std::vector<HandoffItem> entries;
  for (const TranscriptTurn& turn : last_turns) {
    for (const TranscriptEntry& entry : turn.entries) entries.push_back({turn.number, entry, turn.conversation});
  }
  return entries;
}

void HandoffFold::Add(TranscriptTurn turn) {
  handoff_.open.clear();
  for (const TranscriptEntry& entry : turn.entries) AddEntry(turn, entry);
  handoff_.last_turns.push_back(std::move(turn));
  if (handoff_.last_turns.size() > kLastTurns) handoff_.last_turns.pop_front();
}

void HandoffFold::AddEntry(const TranscriptTurn& turn, const TranscriptEntry& entry) {
  const HandoffItem item{turn.number, entry, turn.conversation};
  if (IsRequest(entry)) handoff_.requests.push_back(item);
  if (IsDecision(entry)) handoff_.decisions.push_back(item);
  if (IsOpen(entry)) handoff_.open.push_back(item);
  const bool done = entry.kind == Kind::kCall && entry.result && !entry.result->is_error;
  if (!done) return;
  for (const std::string& path : TouchedFiles(entry.text)) Touch(path, entry.name);
}

void HandoffFold::Touch(const std::string& path, const std::string& tool) {
  auto& files = handoff_.files;
  auto file = std::ranges::find(files, path, &TouchedFile::path);
  if (file == files.end()) {
    files.push_back({path, {}});
  } else {
    std::rotate(file, file + 1, files.end());
  }
  auto& tools = files.back().tools;
  const auto known = std::ranges::find(tools, tool, &std::pair<std::string, std::uint64_t>::first);
  if (known == tools.end()) {
    tools.emplace_back(tool, 1);
  } else {
    ++known->second;
  }
}

}  // namespace turnlog
