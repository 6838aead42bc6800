#include "migrate/codex/usage.h"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "base/hash.h"
#include "migrate/codex/copied_records.h"
#include "migrate/codex/session.h"

namespace turnlog {
namespace {

class CodexUsage final : public UsageReader {
 public:
  bool Wants(std::string_view text) const override {
    return copied_.copying() || text.contains("token_count") || text.contains("session_meta") ||
           text.contains("turn_context") || text.contains("task_started");
  }

  void Know(std::function<bool(std::string_view conversation)> is_counted) override {
    is_counted_ = std::move(is_counted);
  }

  void Read(const JsonObject& record, const UsageSink& sink) override {
    const std::string type = record.String("type").value_or("");
    const JsonObject payload = record.Object("payload");
    const std::optional<Timestamp> time = record.Time("timestamp");
    const bool was_copying = copied_.copying();
    const bool copied = copied_.Take(record, payload, time);
    if (type == "session_meta") TakeMeta(payload, copied && !was_copying);
    if (type == "turn_context") model_ = payload.String("model").value_or(model_);
    if (type == "event_msg" && payload.String("type") == "token_count")
      Count(payload.Object("info"), time, copied, sink);
  }

 private:
  // A copy is of a thread that its session_meta begins with, or else of the parent.
  void TakeMeta(const JsonObject& meta, bool begins_copy) {
    std::string thread = meta.String("id").value_or("");
    if (!meta["subagent_history_start_ordinal"].empty()) thread = NamedParent(meta).value_or("");
    if (begins_copy) origin_counts_ = is_counted_ && is_counted_(thread);
    if (place_ == 0) thread_ = std::move(thread);  // the last one: forks of forks repeat the session_meta of each
  }

  // A copy has the sums of what it repeats, after the same ones.
  std::string NextPlace(const TokenUsage& sum) {
    place_ = Hash64(
        fmt::format("{} {} {} {} {}", sum.input, sum.cache_write, sum.cache_read, sum.output, sum.reasoning), place_);
    return fmt::format("{} {:016x}", thread_, place_);
  }

  // A record is repeated when only the limits have changed; the sum begins again in a resumed thread.
  void Count(const JsonObject& info, std::optional<Timestamp> time, bool copied, const UsageSink& sink) {
    if (!info["total_token_usage"].starts_with('{')) return;
    const TokenUsage sum = ReadOpenAiUsage(info.Object("total_token_usage"));
    const TokenUsage before = std::exchange(sum_, sum);
    if (sum == before) return;
    std::string place = NextPlace(sum);
    if (copied && origin_counts_) return;
    const bool grown = sum.input >= before.input && sum.cache_write >= before.cache_write &&
                       sum.cache_read >= before.cache_read && sum.output >= before.output &&
                       sum.reasoning >= before.reasoning;
    MessageUsage usage{
        .message = std::move(place), .model = model_, .time = time, .tokens = sum, .copy = copied, .by_place = true};
    if (grown) {
      usage.tokens = {sum.input - before.input, sum.cache_write - before.cache_write,
                      sum.cache_read - before.cache_read, sum.output - before.output, sum.reasoning - before.reasoning};
    } else if (info["last_token_usage"].starts_with('{')) {
      usage.tokens = ReadOpenAiUsage(info.Object("last_token_usage"));
    }
    sink(std::move(usage));
  }

  CopiedRecords copied_;
  std::function<bool(std::string_view conversation)> is_counted_;
  bool origin_counts_ = false;  // that of the copy
  std::string thread_;          // that the first sums are of
  std::uint64_t place_ = 0;     // a hash of all sums so far
  std::string model_;
  TokenUsage sum_;
};

}  // namespace

std::unique_ptr<UsageReader> ReadCodexUsage() { return std::make_unique<CodexUsage>(); }

}  // namespace turnlog
