// Workers search conversations ahead; the calling thread reports their results in order.
#include "turnlog/search.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/try.h"
#include "search/conversation_search.h"
#include "search/glob.h"

namespace turnlog {
namespace {

using Found = std::variant<FoundEvent, Damage>;

// Lists the conversations to search, in order of their ids.
class ConversationSource {
 public:
  ConversationSource(Log& log, std::vector<std::string> selected) : log_(log), selected_(std::move(selected)) {
    named_ = !selected_.empty() && std::ranges::none_of(selected_, IsGlob);
    std::ranges::sort(selected_);
    selected_.erase(std::ranges::unique(selected_).begin(), selected_.end());
  }

  // None at the end.
  Result<std::optional<ConversationId>> Next() {
    if (named_ && next_ == selected_.size()) return std::nullopt;
    if (named_) return TURNLOG_TRY(ConversationId::Parse(selected_[next_++]));
    for (;;) {
      if (next_ == page_.size() && !TURNLOG_TRY(LoadPage())) return std::nullopt;
      const std::string& id = page_[next_++].id;
      if (IsSelected(id)) return TURNLOG_TRY(ConversationId::Parse(id));
    }
  }

 private:
  Result<bool> LoadPage() {
    constexpr std::size_t kPage = 1000;
    page_ = TURNLOG_TRY(log_.List(page_.empty() ? std::string() : page_.back().id, kPage));
    next_ = 0;
    return !page_.empty();
  }

  bool IsSelected(std::string_view id) const {
    return selected_.empty() || std::ranges::any_of(selected_, [&](const auto& glob) { return MatchesGlob(glob, id); });
  }

  Log& log_;
  std::vector<std::string> selected_;
  bool named_ = false;  // `selected_` contains no glob
  std::vector<ConversationInfo> page_;
  std::size_t next_ = 0;
};

std::size_t SizeOf(const Found& found) {
  std::size_t bytes = sizeof(Found);
  if (const auto* event = std::get_if<FoundEvent>(&found)) {
    for (const FoundLine& line : event->lines) bytes += sizeof(FoundLine) + line.text.size();
  }
  return bytes;
}

class StoreSearch {
 public:
  StoreSearch(Log& log, const Pattern& pattern, const SearchOptions& options)
      : log_(log), pattern_(pattern), options_(options), source_(log, options.conversations) {
    options_.limit_each = std::min(options_.limit_each, options_.limit);
  }

  Result<SearchTotals> Run(const OnFound& on_found) {
    {
      std::vector<std::jthread> workers;
      for (unsigned i = 0; i < std::max(1U, options_.jobs); ++i) workers.emplace_back([this] { Work(); });
      GiveOut(on_found);
    }
    if (error_) return std::unexpected(*error_);
    return totals_;
  }

 private:
  // A conversation being searched, with results not reported yet.
  struct Slot {
    std::deque<Found> found;
    std::size_t bytes = 0;
    bool done = false;
  };

  static constexpr std::size_t kSlots = 1024;
  static constexpr std::size_t kSlotBytes = std::size_t{256} << 10;  // a worker with more results waits
  static constexpr std::size_t kAheadBytes = std::size_t{4} << 20;   // the same limit for all workers together

  void Work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stopped_ || slots_.size() < kSlots; });
      if (stopped_ || listed_) return;
      const auto conversation = source_.Next();
      if (!conversation) return Stop(conversation.error());
      if (!*conversation) break;
      slots_.push_back(std::make_unique<Slot>());
      SearchOne(**conversation, *slots_.back(), lock);
    }
    listed_ = true;
    changed_.notify_all();
  }

  void SearchOne(const ConversationId& conversation, Slot& slot, std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    const ConversationSearch::OnFoundHere on_found = [&](Found&& found) { return Add(slot, std::move(found)); };
    ConversationSearch search(pattern_, options_, on_found);
    const Status status = search.Run(log_, conversation);
    lock.lock();
    if (!status) return Stop(status.error());
    slot.done = true;
    ++totals_.conversations;
    totals_.events += search.events();
    totals_.bytes += search.bytes();
    if (slots_.front().get() == &slot) changed_.notify_all();
  }

  // The first slot never waits for the others, so that there is always progress.
  bool Add(Slot& slot, Found&& found) {
    std::unique_lock lock(mutex_);
    const auto has_room = [&] {
      if (slots_.front().get() == &slot) return slot.bytes < kSlotBytes;
      return slot.bytes < kSlotBytes && ahead_ < kAheadBytes;
    };
    changed_.wait(lock, [&] { return stopped_ || has_room(); });
    if (stopped_) return false;
    const std::size_t bytes = SizeOf(found);
    slot.bytes += bytes;
    ahead_ += bytes;
    slot.found.push_back(std::move(found));
    if (slots_.front().get() == &slot) changed_.notify_all();
    return true;
  }

  void GiveOut(const OnFound& on_found) {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] {
        return stopped_ || (slots_.empty() ? listed_ : slots_.front()->done || !slots_.front()->found.empty());
      });
      if (stopped_ || slots_.empty()) return;
      Slot& slot = *slots_.front();
      std::deque<Found> found = std::exchange(slot.found, {});
      ahead_ -= std::exchange(slot.bytes, 0);
      const bool last = slot.done;
      if (last) slots_.pop_front();
      changed_.notify_all();
      lock.unlock();
      const bool go_on = std::ranges::all_of(found, [&](Found& each) { return Give(std::move(each), on_found); });
      lock.lock();
      if (!go_on || (last && full())) return Stop({});
    }
  }

  // After the last match within the limit, reports only its context.
  bool Give(Found&& found, const OnFound& on_found) {
    const auto* event = std::get_if<FoundEvent>(&found);
    if (event != nullptr && full() && (event->match || event->gap)) return false;
    if (event != nullptr && event->match) ++totals_.matches;
    return on_found(std::move(found)) && (!full() || options_.after > 0);
  }

  bool full() const { return totals_.matches >= options_.limit; }

  void Stop(std::optional<Error> error) {
    if (!stopped_) error_ = std::move(error);
    stopped_ = true;
    changed_.notify_all();
  }

  Log& log_;
  const Pattern& pattern_;
  SearchOptions options_;

  std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  ConversationSource source_;
  std::deque<std::unique_ptr<Slot>> slots_;  // in order
  std::size_t ahead_ = 0;                    // bytes in all slots
  bool listed_ = false;                      // `source_` has no more
  bool stopped_ = false;
  std::optional<Error> error_;
  SearchTotals totals_;  // `matches` is only used by the calling thread
};

}  // namespace

Result<SearchTotals> SearchStore(Log& log, const SearchPattern& pattern, const SearchOptions& options,
                                 const OnFound& on_found) {
  const Pattern compiled = TURNLOG_TRY(Pattern::Compile(pattern));
  if (options.limit == 0) return SearchTotals{};
  return StoreSearch(log, compiled, options).Run(on_found);
}

}  // namespace turnlog
