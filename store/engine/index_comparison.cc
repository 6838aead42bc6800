#include "store/engine/index_comparison.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <iterator>
#include <ranges>
#include <string_view>
#include <thread>
#include <utility>

#include "base/try.h"
#include "store/index/index_format.h"

namespace turnlog {
namespace {

constexpr unsigned kMostThreads = 4;

KeySpace SpaceOf(std::string_view key) { return key.empty() ? KeySpace::kMeta : static_cast<KeySpace>(key.front()); }

// Some entries may have been merged from several checkpoints, each in its order.
bool SameValue(std::string_view key, std::string_view one, std::string_view other) {
  if (one == other) return true;
  const auto same = [&](const auto& decode) {
    const auto decoded = decode(one);
    return decoded && decoded == decode(other);
  };
  if (SpaceOf(key) == KeySpace::kInquiry) return same(DecodeInquiries);
  return SpaceOf(key) == KeySpace::kNames && same(DecodeNames);
}

std::string NameOfSpace(std::string_view key) {
  switch (SpaceOf(key)) {
    case KeySpace::kMeta:
      return "totals";
    case KeySpace::kName:
      return "conversation";
    case KeySpace::kOffsets:
      return "offsets of events";
    case KeySpace::kTurn:
      return "turn";
    case KeySpace::kInquiry:
      return "inquiry";
    case KeySpace::kEventId:
      return "event id";
    case KeySpace::kPending:
      return "pending inquiries";
    case KeySpace::kRepairs:
      return "repairs";
    case KeySpace::kWatermark:
      return "watermark";
    case KeySpace::kChanged:
      return "changed conversation";
    case KeySpace::kNames:
      return "names of conversations";
    case KeySpace::kConsumer:
    case KeySpace::kMarkedUpTo:
      return "consumer";
  }
  return "entry of an unknown kind";
}

// Of the entries from `from` on, and before `to` if it is not empty.
Result<IndexDifferences> CompareEntries(const IndexBase& index, const IndexBase& rebuilt, std::string_view from,
                                        std::string_view to) {
  IndexDifferences found;
  const auto ours = TURNLOG_TRY(index.Walk(from, to));
  const auto other = TURNLOG_TRY(rebuilt.Walk(from, to));
  while (ours->Valid() || other->Valid()) {
    found.entries += ours->Valid() ? 1 : 0;
    const int order = !ours->Valid() ? 1 : !other->Valid() ? -1 : ours->key().compare(other->key());
    if (order < 0) found.Add(NameOfSpace(ours->key()) + ": an entry that does not follow from the log");
    if (order > 0) found.Add(NameOfSpace(other->key()) + ": an entry is missing");
    if (order == 0 && !SameValue(ours->key(), ours->value(), other->value())) {
      found.Add(NameOfSpace(ours->key()) + ": an entry differs from the log");
    }
    if (order <= 0) ours->Next();
    if (order >= 0) other->Next();
  }
  if (const Status status = ours->status(); !status) found.Add(status.error().message);
  TURNLOG_TRY(other->status());
  return found;
}

using Range = std::pair<std::string, std::string>;

// All keys but those of consumers, which do not follow from the log: a range for each first byte.
std::vector<Range> Ranges() {
  constexpr int kLast = 0xFF;
  const auto begin = [](int byte) { return std::string(1, static_cast<char>(byte)); };
  std::vector<Range> ranges;
  for (int byte = 0; byte <= kLast; ++byte) {
    if (!IsOfTheLog(static_cast<KeySpace>(byte))) continue;
    ranges.emplace_back(byte == 0 ? "" : begin(byte), byte == kLast ? "" : begin(byte + 1));
  }
  return ranges;
}

}  // namespace

void IndexDifferences::Add(std::string text) {
  ++count;
  if (first.size() < kListed) first.push_back(std::move(text));
}

Result<IndexDifferences> CompareIndexes(const IndexBase& index, const IndexBase& rebuilt) {
  const std::vector<Range> ranges = Ranges();
  std::vector<Result<IndexDifferences>> parts(ranges.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < ranges.size(); i = next++) {
      parts[i] = CompareEntries(index, rebuilt, ranges[i].first, ranges[i].second);
    }
  };
  std::vector<std::future<void>> helpers;
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
  for (unsigned i = 1; i < threads; ++i) helpers.push_back(std::async(work));
  work();
  helpers.clear();  // waits for them
  IndexDifferences all;
  for (Result<IndexDifferences>& part : parts) {
    if (!part) return std::move(part);
    all.entries += part->entries;
    all.count += part->count;
    const auto room = static_cast<std::ptrdiff_t>(IndexDifferences::kListed - all.first.size());
    std::ranges::move(part->first | std::views::take(room), std::back_inserter(all.first));
  }
  return all;
}

}  // namespace turnlog
