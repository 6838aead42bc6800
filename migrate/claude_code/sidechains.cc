#include "migrate/claude_code/sidechains.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "migrate/claude_code/converter.h"
#include "migrate/claude_code/session.h"
#include "migrate/records/content_text.h"

namespace turnlog {

SideRecords* ClaudeSidechains::Find(const JsonObject& record) {
  const auto call = record.String("parent_tool_use_id");
  const auto id = record["uuid"].empty() ? call : record.String("uuid");
  if (!id || id->empty()) return nullptr;
  const auto parent = call ? call : record.String("parentUuid");
  const std::size_t* const known = parent ? by_record_.Find(HashId(*parent, 0)) : nullptr;
  const std::size_t index = known != nullptr ? *known : sidechains_.size();
  by_record_.TryEmplace(HashId(call ? *call : *id, 0), index);
  return known != nullptr ? &sidechains_[index] : &Begin(record, *id);
}

SideRecords& ClaudeSidechains::Begin(const JsonObject& root, const std::string& id) {
  SideRecords& sidechain = sidechains_.emplace_back();
  sidechain.conversation = session_ + "/sidechain-" + id;
  sidechain.converter = std::make_unique<ClaudeCodeConverter>(session_, true);
  if (keep_copies_) sidechain.converter->KeepCopies();
  sidechain.parts.push_back({.name = std::string(kParentPart), .bytes = session_});
  sidechain.parts.push_back({.name = std::string(kFilePart), .bytes = {}});
  const auto call = calls_.find(root.String("parent_tool_use_id").value_or(""));
  if (call != calls_.end()) {
    call->second.conversation = sidechain.conversation;
    return sidechain;
  }
  const auto prompt = ReadContentText(root.Object("message")["content"]);
  if (prompt && root.String("type") == "user") Link(prompt->text, sidechain.conversation);
  return sidechain;
}

// Calls at the same time may have the same prompt: each runs one.
void ClaudeSidechains::Link(std::string_view prompt, const std::string& conversation) {
  const auto call = std::ranges::find_if(
      calls_, [&](const auto& each) { return each.second.conversation.empty() && each.second.prompt == prompt; });
  if (call != calls_.end()) call->second.conversation = conversation;
}

void ClaudeSidechains::AddCall(const ToolCallRequest& call) {
  if (call.name != "Task" && call.name != "Agent") return;
  const auto prompt = JsonObject::Parse(call.arguments.text()).value_or(JsonObject()).String("prompt");
  if (prompt) calls_.insert_or_assign(call.id, Call{*prompt, {}});
}

std::string ClaudeSidechains::TakeConversation(std::string_view call) {
  const auto found = calls_.find(call);
  if (found == calls_.end()) return {};
  std::string conversation = std::move(found->second.conversation);
  calls_.erase(found);
  return conversation;
}

}  // namespace turnlog
