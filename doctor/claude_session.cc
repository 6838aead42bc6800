// What Claude Code and Anthropic's API require of a session of Claude Code.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "doctor/anthropic_blocks.h"
#include "doctor/call_pairs.h"
#include "doctor/record_chain.h"
#include "doctor/session_checks.h"

namespace turnlog {
namespace {

// A UUID that depends on nothing but the call, so that mending twice gives the same file.
std::string UuidOf(std::string_view record, std::string_view calls) {
  const Hash128 hash = HashId(calls, Hash64(record));
  return fmt::format("{:08x}-{:04x}-8{:03x}-{:04x}-{:012x}", hash.low >> 32, hash.low >> 16 & 0xffff, hash.low & 0xfff,
                     (hash.high >> 48 & 0x3fff) | 0x8000, hash.high & 0xffffffffffff);
}

// What a result needs of the record with its call.
struct CallingRecord {
  std::uint64_t end = 0;
  std::string uuid, time;  // as JSON
  std::string fields;      // of the envelope, as JSON
  std::string message;     // the id of its message
  struct Child {
    std::uint64_t begin = 0, end = 0;  // of its parent's id
  };
  std::vector<Child> children;  // that come after the results
  std::size_t open = 0;         // calls without a result
};

CallingRecord ReadCallingRecord(const SessionRecord& record, std::string message) {
  constexpr std::array<std::string_view, 9> kFields{"isSidechain", "userType", "cwd",     "sessionId", "version",
                                                    "gitBranch",   "slug",     "agentId", "entrypoint"};
  const JsonObject& object = record.object();
  CallingRecord calling{.end = record.end(),
                        .uuid = std::string(object["uuid"]),
                        .time = std::string(object["timestamp"]),
                        .message = std::move(message)};
  for (const std::string_view name : kFields) {
    if (!object[name].empty()) calling.fields += fmt::format("\"{}\":{},", name, object[name]);
  }
  return calling;
}

class ClaudeSession final : public SessionChecks {
 public:
  explicit ClaudeSession(const CheckContext& context)
      : context_(context), diagnosis_(context.diagnosis), chain_(diagnosis_), blocks_(diagnosis_) {}

  void Take(const SessionRecord& record, const RecordPiece& piece) override {
    const JsonObject& object = record.object();
    bool again = false;
    if (IsJsonString(object["uuid"])) {
      const RecordChain::Sighting sighting = chain_.See(record);
      if (sighting == RecordChain::Sighting::kCopy) return RemoveCopy(record, piece);
      again = sighting == RecordChain::Sighting::kOther;
      if (again) diagnosis_.Add("conflicting-record", record, false);
    }
    const std::string_view type = object["type"];
    if (type == "\"system\"" && object["subtype"] == "\"compact_boundary\"") return Compact(record);
    if (type == "\"assistant\"" || type == "\"user\"") TakeMessage(record, piece, again);
  }

  void Finish() override {
    for (const RecordChain::Relink& relink : chain_.FindRelinks()) {
      const auto found = by_uuid_.find(Hash64(relink.before));
      if (found != by_uuid_.end()) calling_.at(found->second).children.push_back({relink.begin, relink.end});
    }
    for (Lane& lane : lanes_) FinishCalls(lane.calls.Finish());
    blocks_.images().Finish();
    chain_.Finish();
  }

 private:
  // The session, and the sidechains that older versions wrote into its file.
  struct Lane {
    CallPairs calls;
    std::string message;  // the id of the last one of the assistant
  };

  Lane& LaneOf(const JsonObject& record) { return lanes_[record.IsTrue("isSidechain") ? 1 : 0]; }

  void RemoveCopy(const SessionRecord& record, const RecordPiece& piece) {
    diagnosis_.Add("duplicate-record", record, true);
    context_.records.Remove(piece);
  }

  void Compact(const SessionRecord& record) {
    if (record.object().IsTrue("isSidechain") && !lanes_[0].message.empty()) return;
    LaneOf(record.object()).calls.Forget();
    blocks_.images().Forget();
  }

  // `again`: another record has its id, and only one of them is loaded.
  void TakeMessage(const SessionRecord& record, const RecordPiece& piece, bool again) {
    const JsonObject message = record.object().Object("message");
    MessageBlocks content(message["content"]);
    const bool assistant = record.object()["type"] == "\"assistant\"";
    const std::string id = message.String("id").value_or(std::string());
    PassCalls(record.object(), content, assistant, id);
    if (record.is_exact() && !again) blocks_.Check(record, message.String("model").value_or(""), content);
    if (assistant) {
      TakeCalls(record, content, id, again);
    } else {
      TakeResults(record, content, again);
    }
    NoteChild(record, content, assistant, id);
    if (content.AllDropped()) {
      chain_.Remove(record);
      context_.records.Remove(piece);
    } else {
      content.Write(record, diagnosis_.edits());
    }
  }

  // Whether the conversation goes on without the results that are still missing.
  void PassCalls(const JsonObject& record, MessageBlocks& content, bool assistant, const std::string& id) {
    Lane& lane = LaneOf(record);
    const bool results =
        std::ranges::any_of(content.blocks(), [](const MessageBlock& block) { return block.type == "tool_result"; });
    if (assistant ? id.empty() || id != lane.message : !results && !record.IsTrue("isMeta")) lane.calls.PassCalls();
    if (assistant) lane.message = id;
  }

  void TakeCalls(const SessionRecord& record, MessageBlocks& content, const std::string& message, bool again) {
    const std::uint64_t owner = Hash64(record.object()["uuid"]);
    std::size_t added = 0;
    for (const MessageBlock& block : content.blocks()) {
      const std::string_view token = block.object["id"];
      if (block.type != "tool_use" || !IsJsonString(token) || again) continue;
      const FindingLocation location{record.line(), record.is_exact() ? record.Begin(block.text) : record.begin()};
      const std::string name = *block.object.String("id");
      const std::string unique = LaneOf(record.object()).calls.AddCall(name, location, records_, owner);
      if (unique != name) Rename(record, token, unique, location);
      ++added;
    }
    if (added == 0) return;
    calling_.emplace(records_, ReadCallingRecord(record, message)).first->second.open = added;
    by_uuid_.emplace(owner, records_++);
  }

  void Rename(const SessionRecord& record, std::string_view token, const std::string& id, FindingLocation location) {
    if (!record.is_exact()) return;
    diagnosis_.Add("duplicate-call-id", location, true);
    diagnosis_.edits().Replace(record.Begin(token), record.End(token), JsonToken(id));
  }

  void TakeResults(const SessionRecord& record, MessageBlocks& content, bool again) {
    using Kind = CallPairs::Match::Kind;
    CallPairs& calls = LaneOf(record.object()).calls;
    std::string_view asker = record.object()["sourceToolAssistantUUID"];
    if (asker.empty()) asker = record.object()["parentUuid"];
    for (const MessageBlock& block : content.blocks()) {
      const auto id = block.object.String("tool_use_id");
      if (block.type != "tool_result" || !id) continue;
      const CallPairs::Match match = calls.AddResult(*id, Hash64(asker));
      if (match.kind == Kind::kAnswer) Answer(match.record);
      if (again || !record.is_exact()) continue;
      if (match.kind == Kind::kRepeated) KeepAsText("anthropic-repeated-result", record, block);
      if (match.kind == Kind::kStray) DeferStray(record, block, *id);
      if (match.kind == Kind::kAnswer && match.renamed) {
        const std::string_view token = block.object["tool_use_id"];
        diagnosis_.edits().Replace(record.Begin(token), record.End(token), JsonToken(match.id));
      }
    }
  }

  // What was kept of a record goes with its last open call.
  void Answer(std::size_t record) {
    const auto calling = calling_.find(record);
    if (--calling->second.open > 0) return;
    by_uuid_.erase(Hash64(calling->second.uuid));
    calling_.erase(calling);
  }

  void KeepAsText(std::string_view rule, const SessionRecord& record, const MessageBlock& block) {
    diagnosis_.Add(rule, {record.line(), record.Begin(block.text)}, true);
    KeepResultAsText(record, block, diagnosis_.edits());
  }

  // The edits are made now, while the record is there, and used if its call does not come later.
  void DeferStray(const SessionRecord& record, const MessageBlock& block, const std::string& id) {
    TextEdits edits;
    KeepResultAsText(record, block, edits);
    const FindingLocation location{record.line(), record.Begin(block.text)};
    LaneOf(record.object()).calls.DeferStray(id, [this, location, pass = std::move(edits).Take()] {
      diagnosis_.Add("anthropic-stray-result", location, true);
      for (const TextEdit& edit : pass) diagnosis_.edits().Replace(edit.begin, edit.end, edit.text);
    });
  }

  // A record after a calling one comes after the results that are inserted there.
  void NoteChild(const SessionRecord& record, MessageBlocks& content, bool assistant, const std::string& message) {
    const std::string_view parent = record.object()["parentUuid"];
    if (!IsJsonString(parent) || !record.is_exact()) return;
    const auto found = by_uuid_.find(Hash64(parent));
    if (found == by_uuid_.end()) return;
    CallingRecord& calling = calling_.at(found->second);
    const bool result =
        std::ranges::any_of(content.blocks(), [](const MessageBlock& block) { return block.type == "tool_result"; });
    if (result || (assistant && !message.empty() && message == calling.message)) return;
    calling.children.push_back({record.Begin(parent), record.End(parent)});
  }

  void FinishCalls(const std::vector<CallWithoutResult>& calls) {
    std::map<std::size_t, std::vector<const CallWithoutResult*>> by_record;
    for (const CallWithoutResult& call : calls) {
      const bool mended = call.passed || context_.close_open;
      diagnosis_.Add(call.passed ? "anthropic-missing-result" : "open-call", call.location, mended, call.id);
      if (mended) by_record[call.record].push_back(&call);
    }
    for (const auto& [record, open] : by_record) InsertResults(calling_.at(record), open);
  }

  void InsertResults(const CallingRecord& calling, const std::vector<const CallWithoutResult*>& open) {
    std::string ids, results;
    for (const CallWithoutResult* call : open) {
      if (!ids.empty()) results += ',';
      ids += call->id + '\n';
      results += InterruptedResult(JsonToken(call->id));
    }
    const std::string parent = calling.uuid.empty() ? "null" : calling.uuid;
    const std::string uuid = UuidOf(parent, ids);
    std::string record = fmt::format(R"({{"parentUuid":{},{}"type":"user","message":{{"role":"user","content":[{}]}},)",
                                     parent, calling.fields, results);
    record += fmt::format(R"("uuid":"{}")", uuid);
    if (!calling.time.empty()) record += fmt::format(R"(,"timestamp":{})", calling.time);
    record += fmt::format(R"(,"toolUseResult":"Error: {}","sourceToolAssistantUUID":{}}})", kInterruptedCall, parent);
    context_.records.InsertAfter(calling.end, {record});
    for (const CallingRecord::Child& child : calling.children) {
      diagnosis_.edits().Replace(child.begin, child.end, fmt::format("\"{}\"", uuid));
    }
  }

  const CheckContext context_;
  Diagnosis& diagnosis_;
  RecordChain chain_;
  AnthropicBlocks blocks_;
  std::array<Lane, 2> lanes_;
  std::size_t records_ = 0;  // with calls
  std::map<std::size_t, CallingRecord> calling_;
  std::map<std::uint64_t, std::size_t> by_uuid_;
};

}  // namespace

std::unique_ptr<SessionChecks> CheckClaudeSession(const CheckContext& context) {
  return std::make_unique<ClaudeSession>(context);
}

}  // namespace turnlog
