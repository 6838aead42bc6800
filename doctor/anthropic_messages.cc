// What Anthropic's API requires of a list of messages: the results of calls are at the beginning of the next message.
// Messages of one role that follow one another count as one.
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "doctor/anthropic_blocks.h"
#include "doctor/list_inserts.h"
#include "doctor/session_checks.h"

namespace turnlog {
namespace {

class AnthropicMessages final : public SessionChecks {
 public:
  explicit AnthropicMessages(const CheckContext& context)
      : context_(context), diagnosis_(context.diagnosis), blocks_(diagnosis_) {}

  void Take(const SessionRecord& record, const RecordPiece& piece) override {
    const JsonObject& message = record.object();
    const auto role = message.String("role");
    if (!record.is_exact() || (role != "user" && role != "assistant")) return;
    const std::string_view value = message["content"];
    if (IsEmpty(value)) {
      diagnosis_.Add("empty-message", record, true);
      return context_.records.Remove(piece);
    }
    if (!IsJsonString(value) && !value.starts_with('[')) return;
    MessageBlocks content(value);
    blocks_.Check(record, message.String("model").value_or(""), content);
    last_end_ = record.end();
    if (role == "assistant") {
      TakeCalls(record, content);
    } else {
      TakeResults(record, content, value);
    }
    if (content.AllDropped()) return context_.records.Remove(piece);
    content.Write(record, diagnosis_.edits());
  }

  void Finish() override {
    for (const auto& [id, call] : missing_) {
      diagnosis_.Add("anthropic-missing-result", call.location, true, id);
      inserts_.Add(call.target, InterruptedResult(JsonToken(id)));
    }
    FinishOpen();
    inserts_.Write(diagnosis_.edits());
    blocks_.images().Finish();
  }

 private:
  struct Call {
    FindingLocation location;
    ListInserts::Target target;  // where its result belongs, if the next message is known
  };

  static bool IsEmpty(std::string_view content) {
    return content.empty() || content == "null" || content == "\"\"" ||
           (content.starts_with('[') && ElementsOf(content).empty());
  }

  // The next message of the user has all results of these calls.
  void TakeCalls(const SessionRecord& record, MessageBlocks& content) {
    if (in_answers_) CloseAnswers();
    if (std::exchange(first_, false)) AddFirstMessage(record);
    for (MessageBlock& block : content.blocks()) {
      const auto id = block.object.String("id");
      if (block.type != "tool_use" || !id) continue;
      const FindingLocation location{record.line(), record.Begin(block.text)};
      std::string unique = *id;
      for (int number = 2; !ids_.insert(unique).second; ++number) unique = fmt::format("{}_{}", *id, number);
      if (unique != *id) Rename(record, block.object["id"], unique, location);
      renamed_[*id] = unique;
      open_.emplace(unique, Call{location, {}});
    }
  }

  void Rename(const SessionRecord& record, std::string_view token, const std::string& id, FindingLocation location) {
    diagnosis_.Add("duplicate-call-id", location, true);
    diagnosis_.edits().Replace(record.Begin(token), record.End(token), JsonToken(id));
  }

  void AddFirstMessage(const SessionRecord& record) {
    diagnosis_.Add("anthropic-first-message", record, true);
    diagnosis_.edits().Insert(record.begin(),
                              R"-({"role":"user","content":"(The beginning of this conversation is missing.)"},)-");
  }

  void TakeResults(const SessionRecord& record, MessageBlocks& content, std::string_view value) {
    first_ = false;
    if (!std::exchange(in_answers_, true)) {
      front_ = ListInserts::TargetOf(record, value);
      answered_.clear();
      other_ = IsJsonString(value);
    }
    for (MessageBlock& block : content.blocks()) {
      if (block.type == "tool_result") {
        TakeResult(record, block);
      } else if (!block.dropped) {
        other_ = true;
      }
    }
  }

  void TakeResult(const SessionRecord& record, MessageBlock& block) {
    const std::string id = block.object.String("tool_use_id").value_or(std::string());
    const FindingLocation location{record.line(), record.Begin(block.text)};
    const auto renamed = renamed_.find(id);
    const std::string name = renamed == renamed_.end() ? id : renamed->second;
    if (open_.erase(name) == 1) {
      answered_.insert(name);
      if (name != id) {
        const std::string_view token = block.object["tool_use_id"];
        diagnosis_.edits().Replace(record.Begin(token), record.End(token), JsonToken(name));
      }
      if (other_ && name == id) Move("anthropic-results-first", location, block, front_);
    } else if (const auto late = missing_.find(id); late != missing_.end()) {
      Move("anthropic-stray-result", location, block, late->second.target);
      diagnosis_.Add("anthropic-missing-result", late->second.location, true, id);
      missing_.erase(late);
    } else {
      diagnosis_.Add(answered_.contains(name) ? "anthropic-repeated-result" : "anthropic-stray-result", location, true);
      KeepResultAsText(record, block, diagnosis_.edits());
      other_ = true;
    }
  }

  void Move(std::string_view rule, FindingLocation location, MessageBlock& block, const ListInserts::Target& target) {
    diagnosis_.Add(rule, location, true);
    inserts_.Add(target, std::string(block.text));
    block.dropped = true;
  }

  // What is still open may have its result in a later message.
  void CloseAnswers() {
    for (auto& [id, call] : open_) missing_.insert_or_assign(id, Call{call.location, front_});
    open_.clear();
    renamed_.clear();
    in_answers_ = false;
  }

  // The calls of the last messages.
  void FinishOpen() {
    if (in_answers_) {
      for (const auto& [id, call] : open_) {
        diagnosis_.Add("anthropic-missing-result", call.location, true, id);
        inserts_.Add(front_, InterruptedResult(JsonToken(id)));
      }
      return;
    }
    std::string results;
    for (const auto& [id, call] : open_) {
      diagnosis_.Add("open-call", call.location, context_.close_open, id);
      results += (results.empty() ? "" : ",") + InterruptedResult(JsonToken(id));
    }
    if (!context_.close_open || results.empty()) return;
    context_.records.InsertAfter(last_end_, {fmt::format(R"({{"role":"user","content":[{}]}})", results)});
  }

  const CheckContext context_;
  Diagnosis& diagnosis_;
  AnthropicBlocks blocks_;
  ListInserts inserts_;
  std::set<std::string> ids_;                   // of all calls
  std::map<std::string, std::string> renamed_;  // of the last message of the assistant
  std::map<std::string, Call> open_, missing_;  // of the last message of the assistant, and of earlier ones
  std::set<std::string> answered_;              // in the messages of the user after it
  ListInserts::Target front_;                   // of these messages
  bool in_answers_ = false, other_ = false, first_ = true;
  std::uint64_t last_end_ = 0;
};

}  // namespace

std::unique_ptr<SessionChecks> CheckAnthropicMessages(const CheckContext& context) {
  return std::make_unique<AnthropicMessages>(context);
}

}  // namespace turnlog
