// What Codex and OpenAI's Responses API require of a session of Codex.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "doctor/response_items.h"
#include "doctor/session_checks.h"

namespace turnlog {
namespace {

std::optional<std::uint64_t> NumberOf(std::string_view token) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  return error == std::errc() && end == token.data() + token.size() && !token.empty() ? std::optional(value)
                                                                                      : std::nullopt;
}

// Newer records are numbered, and Codex shows a session up to the first number that is not the next one.
class Ordinals {
 public:
  explicit Ordinals(Diagnosis& diagnosis) : diagnosis_(diagnosis) {}

  void Take(const SessionRecord& record) {
    const std::string_view token = record.object()["ordinal"];
    const auto number = NumberOf(token);
    if (!number) return;
    if (next_ && *number != *next_ && !fault_) fault_ = FindingLocation{record.line(), record.begin()};
    next_ = *number + 1;
    if (record.is_exact()) numbers_.push_back({record.Begin(token), *number, token.size(), record.end()});
  }

  // `inserted`: how many numbered records follow the record that ends there. `removed`: whether any was removed.
  void Finish(const std::map<std::uint64_t, std::size_t>& inserted, const std::vector<std::uint64_t>& removed) {
    if (fault_) diagnosis_.Add("codex-ordinals", *fault_, true);
    if (numbers_.empty() || (!fault_ && inserted.empty() && removed.empty())) return;
    std::uint64_t next = numbers_.front().value;
    for (const Number& number : numbers_) {
      if (std::ranges::binary_search(removed, number.record_end)) continue;
      if (number.value != next)
        diagnosis_.edits().Replace(number.begin, number.begin + number.size, fmt::to_string(next));
      ++next;
      if (const auto more = inserted.find(number.record_end); more != inserted.end()) next += more->second;
    }
  }

 private:
  struct Number {
    std::uint64_t begin = 0, value = 0;
    std::size_t size = 0;
    std::uint64_t record_end = 0;
  };

  Diagnosis& diagnosis_;
  std::optional<std::uint64_t> next_;
  std::optional<FindingLocation> fault_;
  std::vector<Number> numbers_;
};

class CodexSession final : public SessionChecks {
 public:
  explicit CodexSession(const CheckContext& context)
      : context_(context), items_(context, Wrap), ordinals_(context.diagnosis) {}

  void Take(const SessionRecord& record, const RecordPiece& piece) override {
    const JsonObject& object = record.object();
    if (std::exchange(first_, false)) CheckHeader(record);
    if (numbered_) ordinals_.Take(record);
    const std::string type = object.String("type").value_or(std::string());
    if (type == "compacted") return items_.Forget();
    if (type == "event_msg") return TakeEvent(object.Object("payload"));
    const bool enveloped = type == "response_item";
    if (!enveloped && !object["payload"].empty()) return;
    if (piece.bytes.contains("call_id") && !calls_.insert(Hash64(piece.bytes)).second) {
      context_.diagnosis.Add("duplicate-record", record, true);
      context_.records.Remove(piece);
      return removed_.push_back(record.end());
    }
    const JsonObject item = enveloped ? object.Object("payload") : object;
    if (!items_.Take(record, piece, item, Around(object, enveloped))) removed_.push_back(record.end());
  }

  void Finish() override { ordinals_.Finish(items_.Finish(), removed_); }

 private:
  // What an output needs of the record with its call; empty: there is no envelope.
  static std::string Around(const JsonObject& record, bool enveloped) {
    if (!enveloped || !record["payload"].contains("call_id")) return {};
    std::string around = "{";
    if (!record["timestamp"].empty()) around += fmt::format(R"("timestamp":{},)", record["timestamp"]);
    if (const auto number = NumberOf(record["ordinal"])) around += fmt::format(R"("ordinal":{},)", *number + 1);
    return around;
  }

  static std::string Wrap(const std::string& item, const std::string& around) {
    return around.empty() ? item : fmt::format(R"({}"type":"response_item","payload":{}}})", around, item);
  }

  void TakeEvent(const JsonObject& event) {
    const auto type = event.String("type");
    if (type == "task_started" || type == "turn_started" || type == "user_message") items_.PassCalls();
  }

  void CheckHeader(const SessionRecord& record) {
    const JsonObject& object = record.object();
    numbered_ = object.Object("payload").String("history_mode") == "paginated";
    if (context_.file_name.ends_with(".json")) return;  // the header is not a record there
    const bool meta = object.String("type") == "session_meta";
    const bool bare = object["type"].empty() && IsJsonString(object["id"]) && IsJsonString(object["timestamp"]);
    if (!meta && !bare) return context_.diagnosis.Add("codex-header", record, false);
    const auto id = (meta ? object.Object("payload") : object).String("id");
    const bool named = context_.file_name.starts_with("rollout-");
    if (id && named && !context_.file_name.contains(*id)) context_.diagnosis.Add("codex-name", record, false);
  }

  const CheckContext context_;
  ResponseItems items_;
  Ordinals ordinals_;
  std::unordered_set<std::uint64_t> calls_;  // hashes of the records of calls and outputs
  std::vector<std::uint64_t> removed_;       // the ends of the records
  bool first_ = true, numbered_ = false;
};

}  // namespace

std::unique_ptr<SessionChecks> CheckCodexSession(const CheckContext& context) {
  return std::make_unique<CodexSession>(context);
}

}  // namespace turnlog
