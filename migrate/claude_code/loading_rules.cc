// Claude Code and its SDK: records are joined by `parentUuid` into a tree; the conversation is the path to its last
// leaf, with the parallel calls of its messages and their results, which are beside that path.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/try.h"
#include "migrate/records/json_object.h"
#include "migrate/sessions/loaded_session.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

struct Entry {
  std::string uuid, parent, type, message;  // `message`: the provider's id
  JsonObject record;
  bool main = true;  // neither a sidechain's, nor a team's, nor written by the tool itself
  bool IsMessage() const { return type == "user" || type == "assistant"; }
};

class Session {
 public:
  explicit Session(std::string_view file) {
    ForEachLine(file, [this](std::string_view line) {
      if (auto record = JsonObject::Parse(line)) Add(*std::move(record));
    });
  }

  Result<LoadedSession> Load() {
    if (by_uuid_.empty()) return CannotLoad("no record has a uuid");
    const std::optional<std::size_t> leaf = FindLeaf();
    if (!leaf) return CannotLoad("there is no message");
    TURNLOG_TRY(Walk(*leaf));
    AddParallelCalls();
    LoadedSession session{.id = id_, .provider = Provider::kAnthropic, .messages = Messages()};
    session.unreachable = Unreachable();
    return session;
  }

 private:
  void Add(const JsonObject& record) {
    static constexpr std::array<std::string_view, 5> kChainTypes{"user", "assistant", "progress", "system",
                                                                 "attachment"};
    Entry entry{.uuid = record.String("uuid").value_or(""),
                .parent = record.String("parentUuid").value_or(""),
                .type = record.String("type").value_or(""),
                .message = record.Object("message").String("id").value_or(""),
                .record = record};
    if (id_.empty()) id_ = record.String("sessionId").value_or("");
    if (entry.uuid.empty() || std::ranges::find(kChainTypes, entry.type) == kChainTypes.end()) return;
    entry.main = !record.IsTrue("isSidechain") && !record.IsTrue("isMeta") && record["teamName"].empty();
    by_uuid_.insert_or_assign(entry.uuid, entries_.size());
    entries_.push_back(std::move(entry));
  }

  const Entry* ParentOf(const Entry& entry) const {
    const auto found = by_uuid_.find(entry.parent);
    return entry.parent.empty() || found == by_uuid_.end() ? nullptr : &entries_[found->second];
  }

  std::size_t IndexOf(const Entry& entry) const { return static_cast<std::size_t>(&entry - entries_.data()); }

  // Of the messages nearest to the ends of all branches the one that is last in the file, rather a main one.
  std::optional<std::size_t> FindLeaf() const {
    std::set<std::string_view> parents;
    for (const Entry& entry : entries_) parents.insert(entry.parent);
    std::optional<std::size_t> main, any;
    for (const Entry& end : entries_) {
      if (parents.contains(end.uuid)) continue;
      std::set<const Entry*> seen;
      const Entry* at = &end;
      while (at != nullptr && !at->IsMessage() && seen.insert(at).second) at = ParentOf(*at);
      if (at == nullptr || !at->IsMessage()) continue;
      any = std::max(any.value_or(0), IndexOf(*at));
      if (at->main) main = std::max(main.value_or(0), IndexOf(*at));
    }
    return main ? main : any;
  }

  Status Walk(std::size_t leaf) {
    for (const Entry* at = &entries_[leaf]; at != nullptr; at = ParentOf(*at)) {
      if (!on_path_.insert(IndexOf(*at)).second) return CannotLoad("its records are a circle");
      path_.push_back(IndexOf(*at));
    }
    std::ranges::reverse(path_);
    return {};
  }

  // Into the path, by their places in the file.
  void AddParallelCalls() {
    std::set<std::string_view> messages;
    for (const std::size_t index : path_) {
      if (entries_[index].type == "assistant") messages.insert(entries_[index].message);
    }
    messages.erase("");
    std::set<std::string> calls;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Entry& entry = entries_[i];
      if (!entry.main) continue;
      const bool sibling = entry.type == "assistant" && messages.contains(entry.message);
      if (sibling) CollectIds("tool_use", "id", entry, calls);
      const bool result = entry.type == "user" && Answers(entry, calls);
      if ((sibling || result) && on_path_.insert(i).second) Insert(i);
    }
  }

  static void CollectIds(std::string_view type, std::string_view field, const Entry& entry,
                         std::set<std::string>& ids) {
    for (const std::string_view text : ElementsOf(entry.record.Object("message")["content"])) {
      const JsonObject block = JsonObject::Parse(text).value_or(JsonObject());
      if (block.String("type") == type) ids.insert(block.String(field).value_or(""));
    }
  }

  static bool Answers(const Entry& entry, const std::set<std::string>& calls) {
    std::set<std::string> results;
    CollectIds("tool_result", "tool_use_id", entry, results);
    return std::ranges::any_of(results, [&](const std::string& id) { return calls.contains(id); });
  }

  void Insert(std::size_t index) {
    const auto at = std::ranges::find_if(path_.rbegin(), path_.rend(), [&](std::size_t each) { return each < index; });
    path_.insert(at.base(), index);
  }

  struct Message {
    std::string role, id;
    std::vector<std::string> blocks;
  };

  // The records of one message are one message, though results come between them; results of it come after it.
  std::string Messages() const {
    std::vector<Message> messages;
    for (const std::size_t index : path_) {
      const Entry& entry = entries_[index];
      if (!entry.IsMessage() || entry.record.IsTrue("isApiErrorMessage")) continue;
      Message* const same = SameMessage(entry, messages);
      Message& message = same != nullptr ? *same : messages.emplace_back(Message{entry.type, entry.message, {}});
      const std::string_view content = entry.record.Object("message")["content"];
      if (IsJsonString(content)) message.blocks.push_back(fmt::format(R"({{"type":"text","text":{}}})", content));
      for (const std::string_view block : ElementsOf(content)) message.blocks.emplace_back(block);
    }
    DropOpenCalls(messages);
    std::string list = "[";
    for (const Message& message : messages) {
      if (message.blocks.empty()) continue;
      list += fmt::format(R"({{"role":"{}","content":[{}]}},)", message.role, fmt::join(message.blocks, ","));
      list += '\n';
    }
    return list + fmt::format(R"({{"role":"user","content":"{}"}}])", kNextPrompt);
  }

  static Message* SameMessage(const Entry& entry, std::vector<Message>& messages) {
    for (Message& message : std::views::reverse(messages)) {
      if (message.role == entry.type && entry.type == "user") return &message;
      if (entry.type == "assistant" && !entry.message.empty() && message.id == entry.message) return &message;
      const bool results = std::ranges::all_of(
          message.blocks, [](const std::string& block) { return block.contains(R"("tool_result")"); });
      if (message.role != "user" || !results || entry.type == "user") return nullptr;
    }
    return nullptr;
  }

  // Calls that were running when the session ended are not sent.
  static void DropOpenCalls(std::vector<Message>& messages) {
    if (messages.empty() || messages.back().role != "assistant") return;
    std::erase_if(messages.back().blocks, [](const std::string& text) {
      return JsonObject::Parse(text).value_or(JsonObject()).String("type") == "tool_use";
    });
  }

  // Since the last compaction, which begins a new path.
  std::uint64_t Unreachable() const {
    std::size_t first = path_.front();
    std::uint64_t count = 0;
    for (std::size_t i = first; i < entries_.size(); ++i) {
      if (entries_[i].IsMessage() && entries_[i].main && !on_path_.contains(i)) ++count;
    }
    return count;
  }

  std::string id_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> by_uuid_;  // of several records with one uuid the last
  std::vector<std::size_t> path_;
  std::set<std::size_t> on_path_;
};

}  // namespace

Result<LoadedSession> LoadClaudeSession(std::string_view file) { return Session(file).Load(); }

}  // namespace turnlog
