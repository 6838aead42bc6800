#include "store/index/kept_watermarks.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/try.h"
#include "log/consumer_name.h"
#include "store/index/index_batch.h"
#include "store/index/index_format.h"

namespace turnlog {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;  // each batch is a file, at first

using Entries = std::vector<std::pair<std::string, std::string>>;

class Keeper {
 public:
  Keeper(const IndexBase& from, IndexBase& to, const std::function<bool()>& stop) : from_(from), to_(to), stop_(stop) {}

  Result<bool> Run() {
    TURNLOG_TRY(
        ForEach(from_, KeySpace::kWatermark, [&](const auto& key, const auto& value) { return Copy(key, value); }));
    TURNLOG_TRY(Write());  // Compare reads them
    if (!stopped_ && !consumers_.empty()) {
      TURNLOG_TRY(
          ForEach(to_, KeySpace::kName, [&](const auto& key, const auto& value) { return Compare(key, value); }));
    }
    for (const std::string& consumer : consumers_) batch_.Put(ConsumerKey(consumer));
    if (!stopped_) TURNLOG_TRY(Write());
    return !stopped_;
  }

 private:
  // What cannot be read of the old index ends the walk; of the new one, it is an error.
  template <class Use>
  Status ForEach(const IndexBase& base, KeySpace space, Use use) {
    const std::string prefix = SpacePrefix(space);
    for (std::string next = prefix;;) {
      const auto page = base.Range(next, prefix, kPage);
      if (!page && &base == &from_) return {};
      const Entries& entries = TURNLOG_TRY(page);
      for (const auto& [key, value] : entries) TURNLOG_TRY(use(key, value));
      stopped_ = stop_ && stop_();
      if (entries.size() < kPage || stopped_) return {};
      next = entries.back().first + '\0';
    }
  }

  Status Copy(const std::string& key, const std::string& value) {
    std::string consumer = ConsumerOfKey(key);
    if (!CheckConsumerName(consumer) || !DecodeWatermark(value)) return {};
    constexpr std::uint32_t kNone = 0;  // the number of a conversation that does not exist
    if (NumberOfKey(key) != kNone) consumers_.insert(std::move(consumer));
    batch_.Put(key, value);
    return WriteIfMuch();
  }

  Status Compare(const std::string& key, const std::string& value) {
    const std::string_view name = std::string_view(key).substr(SpacePrefix(KeySpace::kName).size());
    const auto entry = DecodeConversation(name, value);
    if (!entry) return IndexDamaged("a conversation's entry");
    for (const std::string& consumer : consumers_) {
      const auto stored = TURNLOG_TRY(Find(WatermarkKey(entry->state.number, consumer)));
      if (!stored || stored->head.value != entry->state.last_seq) batch_.Put(ChangedKey(consumer, name));
    }
    return WriteIfMuch();
  }

  Result<std::optional<Watermark>> Find(const std::string& key) const {
    const auto value = TURNLOG_TRY(to_.Get(key));
    if (!value) return std::nullopt;
    return DecodeWatermark(*value);
  }

  Status WriteIfMuch() { return batch_.bytes() < kBatchBytes ? Status() : Write(); }

  Status Write() {
    batch_.Sort();
    TURNLOG_TRY(to_.Apply(batch_));
    batch_ = {};
    return {};
  }

  const IndexBase& from_;
  IndexBase& to_;
  const std::function<bool()>& stop_;
  std::set<std::string> consumers_;
  IndexBatch batch_;
  bool stopped_ = false;
};

}  // namespace

Result<bool> KeepWatermarks(const IndexBase& from, IndexBase& to, const std::function<bool()>& stop) {
  return Keeper(from, to, stop).Run();
}

}  // namespace turnlog
