#include "service/write_once.h"

#include <charconv>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::size_t kLanes = 65536;  // a client uses one for each of its threads
constexpr std::size_t kMaxLaneName = 64;
constexpr std::size_t kKeptBytes = std::size_t{64} << 20;  // of all answers; one for many events is large

}  // namespace

Result<WriteOnce::Key> WriteOnce::Parse(std::string_view key) {
  const std::size_t slash = key.find('/');
  const std::string_view digits = slash == std::string_view::npos ? "" : key.substr(slash + 1);
  Key parsed{std::string(key.substr(0, std::min(slash, kMaxLaneName))), 0};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed.number);
  const bool number = error == std::errc() && end == digits.data() + digits.size() && parsed.number > 0;
  if (number && slash > 0 && slash <= kMaxLaneName) return parsed;
  return std::unexpected(Error{ErrorCode::kInvalidArgument, "Idempotency-Key must be LANE/NUMBER"});
}

std::shared_ptr<WriteOnce::Lane> WriteOnce::Find(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = lanes_.find(name); found != lanes_.end()) {
    order_.splice(order_.begin(), order_, found->second.second);
    return found->second.first;
  }
  if (lanes_.size() == kLanes) ForgetOldest();
  order_.push_front(name);
  auto lane = std::make_shared<Lane>();
  lanes_.emplace(name, std::pair(lane, order_.begin()));
  return lane;
}

void WriteOnce::ForgetOldest() {
  const auto oldest = lanes_.find(order_.back());
  bytes_ -= oldest->second.first->bytes;
  lanes_.erase(oldest);
  order_.pop_back();
}

// The lane that was used last stays, whatever its answer takes.
void WriteOnce::Count(const std::string& name, Lane& lane, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto found = lanes_.find(name);
  if (found == lanes_.end() || found->second.first.get() != &lane) return;  // forgotten meanwhile
  order_.splice(order_.begin(), order_, found->second.second);
  bytes_ += bytes - lane.bytes;
  lane.bytes = bytes;
  while (bytes_ > kKeptBytes && lanes_.size() > 1) ForgetOldest();
}

std::size_t WriteOnce::bytes() {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

WriteOnce::Write::~Write() {
  if (lane_ == nullptr) return;
  {
    const std::scoped_lock lock(lane_->mutex);
    lane_->begun = lane_->number;
  }
  lane_->ended.notify_all();
}

WriteOnce::Answer WriteOnce::Write::End(Answer answer) {
  const std::shared_ptr<Lane> lane = std::exchange(lane_, nullptr);
  {
    const std::scoped_lock lock(lane->mutex);
    lane->answer = answer;
    lane->number = lane->begun;
  }
  lane->ended.notify_all();
  all_.Count(name_, *lane, answer ? answer->size() : 0);
  return answer;
}

WriteOnce::Answer WriteOnce::Run(std::string_view key, const std::function<Answer()>& write) {
  Key parsed = TURNLOG_TRY(Parse(key));
  const std::shared_ptr<Lane> lane = Find(parsed.lane);
  {
    std::unique_lock lock(lane->mutex);
    lane->ended.wait(lock, [&] { return !lane->busy(); });
    if (parsed.number == lane->number) return lane->answer;
    if (parsed.number < lane->number) {
      return std::unexpected(Error{ErrorCode::kInvalidArgument, "a later write of this lane was done before"});
    }
    lane->begun = parsed.number;
  }
  return Write(*this, std::move(parsed.lane), lane).End(write());
}

std::optional<WriteOnce::Write> WriteOnce::TryBegin(std::string_view key) {
  auto parsed = Parse(key);
  if (!parsed) return std::nullopt;
  const std::shared_ptr<Lane> lane = Find(parsed->lane);
  const std::scoped_lock lock(lane->mutex);
  if (lane->busy() || parsed->number <= lane->number) return std::nullopt;
  lane->begun = parsed->number;
  return Write(*this, std::move(parsed->lane), lane);
}

Status WriteOnce::Check(std::string_view key) {
  TURNLOG_TRY(Parse(key));
  return {};
}

bool WriteOnce::Knows(std::string_view key) {
  const auto parsed = Parse(key);
  if (!parsed) return false;
  const std::shared_ptr<Lane> lane = Find(parsed->lane);
  const std::scoped_lock lock(lane->mutex);
  return parsed->number <= lane->begun;
}

}  // namespace turnlog
