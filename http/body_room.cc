#include "http/body_room.h"

#include <algorithm>

namespace turnlog {

BodyBudget::BodyBudget(std::uint64_t limit)
    : limit_(limit), limit_for_small_(std::max(limit / 8, std::min(limit, kSmall))) {}

void BodyRoom::Claim(std::uint64_t bytes, Time until) {
  claim_ = std::min(bytes, budget_.limit_);
  claimed_until_ = until;
}

BodyBudget::Grant BodyRoom::GrowTo(std::uint64_t bytes) {
  if (bytes <= taken_) return BodyBudget::Grant::kTaken;
  const std::scoped_lock lock(budget_.mutex_);
  Unstick();
  if (bytes > budget_.limit_) return BodyBudget::Grant::kTooLarge;
  if (bytes <= BodyBudget::kSmall) {
    if (budget_.taken_small_ - taken_ + bytes > budget_.limit_for_small_) return BodyBudget::Grant::kWait;
    SetSmall(bytes);
    return BodyBudget::Grant::kTaken;
  }
  if (!IsLarge()) return BecomeLarge(bytes);
  if (budget_.taken_large_ - taken_ + bytes <= budget_.limit_) {
    SetLarge(bytes);
    return BodyBudget::Grant::kTaken;
  }
  if (budget_.large_.size() - budget_.stuck_ == 1) return BodyBudget::Grant::kRefused;
  stuck_ = true;
  ++budget_.stuck_;
  return BodyBudget::Grant::kWait;
}

void BodyRoom::Release() {
  const std::scoped_lock lock(budget_.mutex_);
  Unstick();
  std::erase(budget_.waiting_, this);
  if (!IsLarge()) return SetSmall(0);
  std::erase(budget_.large_, this);
  budget_.taken_large_ -= taken_;
  taken_ = 0;
}

// One after another, in the order in which they asked.
BodyBudget::Grant BodyRoom::BecomeLarge(std::uint64_t bytes) {
  std::deque<BodyRoom*>& waiting = budget_.waiting_;
  const bool first = waiting.empty() || waiting.front() == this;
  if (!first || !HasRoomFor(bytes)) {
    if (std::ranges::find(waiting, this) == waiting.end()) waiting.push_back(this);
    return BodyBudget::Grant::kWait;
  }
  if (!waiting.empty()) waiting.pop_front();
  SetSmall(0);
  budget_.large_.push_back(this);
  SetLarge(bytes);
  return BodyBudget::Grant::kTaken;
}

// Beside what others have taken or claimed. What becomes free is first of all for those that have begun.
bool BodyRoom::HasRoomFor(std::uint64_t bytes) const {
  if (budget_.stuck_ > 0) return false;
  const Time now = std::chrono::steady_clock::now();
  std::uint64_t others = 0;
  for (const BodyRoom* const other : budget_.large_) others += other->Claimed(now);
  return others + std::max(bytes, claim_) <= budget_.limit_;
}

std::uint64_t BodyRoom::Claimed(Time now) const { return now < claimed_until_ ? std::max(taken_, claim_) : taken_; }

void BodyRoom::SetSmall(std::uint64_t bytes) {
  budget_.taken_small_ += bytes - taken_;
  taken_ = bytes;
}

void BodyRoom::SetLarge(std::uint64_t bytes) {
  budget_.taken_large_ += bytes - taken_;
  taken_ = bytes;
}

void BodyRoom::Unstick() {
  if (stuck_) --budget_.stuck_;
  stuck_ = false;
}

}  // namespace turnlog
