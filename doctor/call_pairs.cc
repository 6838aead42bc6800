#include "doctor/call_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace turnlog {

std::string CallPairs::AddCall(std::string_view id, FindingLocation location, std::size_t record, std::uint64_t owner) {
  Known& known = known_[HashId(id, 0)];
  const auto earlier = std::ranges::count(known.attempts, epoch_, &Attempt::epoch);
  const std::string name = earlier == 0 ? std::string(id) : fmt::format("{}_{}", id, earlier + 1);
  known.attempts.push_back({calls_, owner, epoch_, false});
  const auto stray = std::ranges::find_if(
      known.strays, [&](std::size_t i) { return strays_[i].epoch == epoch_ && strays_[i].on_stray != nullptr; });
  if (stray != known.strays.end() && earlier == 0) {
    strays_[*stray].on_stray = nullptr;
    known.attempts.back().answered = true;
  } else {
    open_.emplace(calls_, std::pair(CallWithoutResult{name, location, record}, request_));
  }
  ++calls_;
  return name;
}

CallPairs::Attempt* CallPairs::FindAttempt(Known& known, std::uint64_t owner) {
  Attempt* first = nullptr;
  for (Attempt& attempt : known.attempts) {
    if (attempt.answered || attempt.epoch != epoch_) continue;
    if (owner != 0 && attempt.owner == owner) return &attempt;
    if (first == nullptr) first = &attempt;
  }
  return first;
}

CallPairs::Match CallPairs::AddResult(std::string_view id, std::uint64_t owner) {
  using Kind = Match::Kind;
  const auto known = known_.find(HashId(id, 0));
  if (known == known_.end()) return {Kind::kStray, {}};
  Attempt* const attempt = FindAttempt(known->second, owner);
  if (attempt == nullptr) {
    const bool answered =
        std::ranges::find(known->second.attempts, epoch_, &Attempt::epoch) != known->second.attempts.end();
    return {answered ? Kind::kRepeated : Kind::kStray, {}};
  }
  attempt->answered = true;
  const auto open = open_.extract(attempt->call);
  const CallWithoutResult& call = open.mapped().first;
  return {Kind::kAnswer, call.id, call.record, call.id != id};
}

void CallPairs::DeferStray(std::string_view id, std::function<void()> on_stray) {
  known_[HashId(id, 0)].strays.push_back(strays_.size());
  strays_.push_back({epoch_, std::move(on_stray)});
}

void CallPairs::PassCalls() { ++request_; }

void CallPairs::Forget() {
  ++request_;
  ++epoch_;
}

std::vector<CallWithoutResult> CallPairs::Finish() {
  for (const Stray& stray : strays_) {
    if (stray.on_stray) stray.on_stray();
  }
  std::vector<CallWithoutResult> calls;
  for (auto& [index, open] : open_) {
    calls.push_back(std::move(open.first));
    calls.back().passed = open.second < request_;
  }
  return calls;
}

}  // namespace turnlog
