#include "service/event_feed.h"

#include <fmt/format.h>

#include <thread>
#include <utility>
#include <variant>

#include "base/secret_string.h"
#include "base/try.h"
#include "service/event_source.h"
#include "service/state_json.h"

namespace turnlog {
namespace {

constexpr std::size_t kKeptBytes = std::size_t{4} << 20;
constexpr std::size_t kEntryBytes = 128;  // of one, beside its texts
// While the feed is locked, so that no reader waits for as long as a long import takes.
constexpr int kItemsAtOnce = 256, kStatesAtOnce = 32;

// What an entry says may be redacted later.
struct WipeAndDelete {
  void operator()(FeedEntry* entry) const {
    Wipe(entry->text);
    delete entry;
  }
};

}  // namespace

FeedEntry EntryOf(const Item& item, const Position& position) {
  FeedEntry entry{.conversation = {}, .seq = {}, .position = position, .text = {}};
  if (const auto* record = std::get_if<Record>(&item)) {
    entry.conversation = record->conversation, entry.seq = record->seq;
  } else if (const auto* erased = std::get_if<Erased>(&item)) {
    entry.conversation = erased->conversation, entry.seq = erased->seq;
  } else if (const auto* damage = std::get_if<Damage>(&item)) {
    entry.conversation = damage->conversation;
  }
  const bool damaged = std::holds_alternative<Damage>(item);
  entry.text = fmt::format("id: {}\nevent: {}\ndata: ", position.ToText(), damaged ? "damage" : "event");
  AppendLine(item, entry.text);
  entry.text += '\n';
  return entry;
}

std::string StateEvent(std::string_view json) { return fmt::format("event: state\ndata: {}\n\n", json); }

Result<FeedEntry> StateEntry(Log& log, const std::string& conversation) {
  const auto id = TURNLOG_TRY(ConversationId::Parse(conversation));
  return FeedEntry{
      .conversation = conversation, .seq = {}, .position = {}, .text = StateEvent(TURNLOG_TRY(StateJson(log, id)))};
}

Result<std::uint64_t> EventFeed::User::Join(EventFeed& feed) {
  Leave();
  {
    const std::scoped_lock lock(feed.mutex_);
    if (feed.users_ == 0) feed.position_ = TURNLOG_TRY(feed.log_.End());
    ++feed.users_;
    feed_ = &feed;
  }
  TURNLOG_TRY(feed.Advance());
  return feed.end();
}

void EventFeed::User::Leave() {
  if (feed_ == nullptr) return;
  const std::scoped_lock lock(feed_->mutex_);
  if (--feed_->users_ == 0) {
    feed_->tail_.reset();
    feed_->changed_.clear();
    feed_->Drop();
  }
  feed_ = nullptr;
}

Status EventFeed::Advance() {
  while (TURNLOG_TRY(AdvanceSome())) std::this_thread::yield();
  return {};
}

Result<bool> EventFeed::AdvanceSome() {
  const std::scoped_lock lock(mutex_);
  return Read();
}

void EventFeed::Forget() {
  const std::scoped_lock lock(mutex_);
  Drop();
}

// Those who have not got them all fall back to the log.
void EventFeed::Drop() {
  entries_.clear();
  bytes_ = 0;
}

Result<bool> EventFeed::Read() {
  if (users_ == 0) return false;
  auto more = ReadTail();
  if (more) return more;
  tail_.reset();  // which may have passed over what it could not read
  Drop();
  ++end_;  // an entry without a reader
  return more;
}

Result<bool> EventFeed::ReadTail() {
  if (tail_ == nullptr) tail_ = TURNLOG_TRY(log_.Follow(position_));
  for (int i = 0; i < kItemsAtOnce; ++i) {
    const Item item = TURNLOG_TRY(tail_->Next());
    if (std::holds_alternative<EndOfLog>(item)) return AddStates();
    position_ = tail_->position();
    Add(EntryOf(item, position_));
    if (const auto* record = std::get_if<Record>(&item)) changed_.insert(std::string(record->conversation));
  }
  return true;
}

// After the last of the events that may have changed them. Returns whether there are more.
bool EventFeed::AddStates() {
  for (int i = 0; i < kStatesAtOnce && !changed_.empty(); ++i) {
    const auto conversation = changed_.extract(changed_.begin());
    if (auto entry = StateEntry(log_, conversation.value())) Add(*std::move(entry));
  }
  return !changed_.empty();
}

void EventFeed::Add(FeedEntry entry) {
  bytes_ += entry.text.size() + kEntryBytes;
  entries_.push_back(std::shared_ptr<FeedEntry>(new FeedEntry(std::move(entry)), WipeAndDelete()));
  ++end_;
  while (bytes_ > kKeptBytes && !entries_.empty()) {
    bytes_ -= entries_.front()->text.size() + kEntryBytes;
    entries_.pop_front();
  }
}

std::optional<std::vector<std::shared_ptr<const FeedEntry>>> EventFeed::After(std::uint64_t number,
                                                                              std::size_t most) const {
  const std::scoped_lock lock(mutex_);
  if (number + entries_.size() < end_) return std::nullopt;
  std::vector<std::shared_ptr<const FeedEntry>> found;
  std::size_t bytes = 0;
  for (std::size_t i = entries_.size() - static_cast<std::size_t>(end_ - number); i < entries_.size(); ++i) {
    if (bytes > 0 && bytes + entries_[i]->text.size() > most) break;
    bytes += entries_[i]->text.size();
    found.push_back(entries_[i]);
  }
  return found;
}

std::uint64_t EventFeed::end() const {
  const std::scoped_lock lock(mutex_);
  return end_;
}

}  // namespace turnlog
