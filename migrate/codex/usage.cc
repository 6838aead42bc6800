#include "migrate/codex/usage.h"

#include <string>
#include <utility>

#include "migrate/codex/copied_records.h"
#include "migrate/import/copied_history.h"

namespace turnlog {
namespace {

class CodexUsage final : public UsageReader {
 public:
  bool Wants(std::string_view text) const override {
    return copied_.copying() || text.contains("token_count") || text.contains("session_meta") ||
           text.contains("turn_context") || text.contains("task_started");
  }

  void ReadPart(std::string_view name, std::string_view /*text*/, const UsageSink& /*sink*/) override {
    if (name == kOriginMissingPart) copied_.KeepAll();
  }

  void Read(const JsonObject& record, const UsageSink& sink) override {
    const std::string type = record.String("type").value_or("");
    const JsonObject payload = record.Object("payload");
    std::optional<Timestamp> time;
    if (const auto parsed = Timestamp::ParseRfc3339(record.String("timestamp").value_or(""))) time = *parsed;
    const bool copied = copied_.Take(record, payload, time);
    if (type == "turn_context") model_ = payload.String("model").value_or(model_);
    if (type == "event_msg" && payload.String("type") == "token_count")
      Count(payload.Object("info"), time, copied, sink);
  }

 private:
  // A record is repeated when only the limits have changed; the sum begins again in a resumed thread.
  void Count(const JsonObject& info, std::optional<Timestamp> time, bool copied, const UsageSink& sink) {
    if (!info["total_token_usage"].starts_with('{')) return;
    const TokenUsage sum = ReadOpenAiUsage(info.Object("total_token_usage"));
    const TokenUsage before = std::exchange(sum_, sum);
    if (copied || sum == before) return;
    const bool grown = sum.input >= before.input && sum.cache_write >= before.cache_write &&
                       sum.cache_read >= before.cache_read && sum.output >= before.output &&
                       sum.reasoning >= before.reasoning;
    MessageUsage usage{.message = {}, .model = model_, .time = time, .tokens = sum};
    if (grown) {
      usage.tokens = {sum.input - before.input, sum.cache_write - before.cache_write,
                      sum.cache_read - before.cache_read, sum.output - before.output, sum.reasoning - before.reasoning};
    } else if (info["last_token_usage"].starts_with('{')) {
      usage.tokens = ReadOpenAiUsage(info.Object("last_token_usage"));
    }
    sink(std::move(usage));
  }

  CopiedRecords copied_;
  std::string model_;
  TokenUsage sum_;
};

}  // namespace

std::unique_ptr<UsageReader> ReadCodexUsage() { return std::make_unique<CodexUsage>(); }

}  // namespace turnlog
