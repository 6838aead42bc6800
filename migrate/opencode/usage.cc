#include "migrate/opencode/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "migrate/opencode/converter.h"
#include "migrate/opencode/storage.h"
#include "migrate/opencode/whole_message.h"

namespace turnlog {
namespace {

// `input` has no cached tokens, and `output` no reasoning.
TokenUsage ReadTokens(const JsonObject& tokens) {
  const JsonObject cache = tokens.Object("cache");
  const std::uint64_t reasoning = TokensIn(tokens, "reasoning");
  return {.input = TokensIn(tokens, "input"),
          .cache_write = TokensIn(cache, "write"),
          .cache_read = TokensIn(cache, "read"),
          .output = TokensIn(tokens, "output") + reasoning,
          .reasoning = reasoning};
}

class OpencodeUsage final : public UsageReader {
 public:
  bool Wants(std::string_view text) const override { return text.contains("tokens"); }

  void Read(const JsonObject& record, const UsageSink& sink) override {
    if (!record["info"].starts_with('{')) return Piece(record);
    const JsonObject info = record.Object("info");
    const std::string id = info.String("id").value_or("");
    Message unnamed;
    Message& message = id.empty() ? unnamed : messages_[id];
    message.steps.clear();
    for (const std::string_view text : ElementsOf(record["parts"])) {
      const JsonObject part = JsonObject::Parse(text).value_or(JsonObject());
      Step(part.String("id").value_or(fmt::format("#{}", message.steps.size())), part, message);
    }
    Info(info, message);
    if (id.empty()) Emit(id, message, sink);
  }

  // Messages and parts that are not records yet. Earlier imports had all messages there.
  void ReadPart(std::string_view /*name*/, std::string_view text, const UsageSink& /*sink*/) override {
    const char separator = text.contains(kFileMark) ? kFileMark : '\n';
    while (!text.empty()) {
      const std::string_view piece = text.substr(0, text.find(separator));
      text.remove_prefix(std::min(piece.size() + 1, text.size()));
      const std::size_t begin = std::min(piece.find('{'), piece.size());
      if (const auto object = JsonObject::Parse(piece.substr(begin, piece.rfind('}') + 1 - begin))) {
        Piece(*object);
      }
    }
  }

  void ReadDocument(const JsonObject& document, const UsageSink& /*sink*/) override {
    began_ = ReadMilliseconds(document.Object("info").Object("time")["created"]);
  }

  // Messages change until they are complete.
  void Finish(const UsageSink& sink) override {
    std::set<std::int64_t> times;
    for (const auto& [id, message] : messages_) {
      if (!message.whole && message.usage.time) times.insert(message.usage.time->nanos);
    }
    for (const auto& [id, message] : messages_) {
      const auto& time = message.usage.time;
      if (!message.whole || !time || !times.contains(time->nanos)) Emit(id, message, sink);
    }
  }

 private:
  struct Message {
    MessageUsage usage;
    std::map<std::string, TokenUsage> steps;  // by the ids of their parts
    bool whole = false;                       // of version 2, which has copies of those of version 1
  };

  // A message or a part, in a file or a row.
  void Piece(const JsonObject& piece) {
    const bool row = IsJsonString(piece["table"]);
    if (IsWholeMessage(piece)) return Whole(piece);
    if (row && piece.String("table") != "message" && piece.String("table") != "part") return Session(piece, row);
    const JsonObject data = PartOf(piece);
    const std::string id = piece.String("id").value_or("");
    const bool part = data["role"].empty();
    const auto of = part ? piece.String(row ? "message_id" : "messageID") : id;
    if (!of) return Session(piece, row);
    Message& message = messages_[*of];
    part ? Step(id, data, message) : Info(data, message);
  }

  void Whole(const JsonObject& row) {
    const JsonObject data = PartOf(row);
    const auto [entry, is_new] = messages_.try_emplace(row.String("id").value_or(""));
    Message& message = entry->second;
    if (row.String("type") != "assistant" || (!is_new && !message.whole)) return;
    message.whole = true;
    message.usage.message = fmt::format("{}{}{}", data["time"], data["model"], data["tokens"]);
    message.usage.model = data.Object("model").String("id").value_or("");
    message.usage.time = ReadMilliseconds(data.Object("time")["created"]);
    message.usage.tokens = ReadTokens(data.Object("tokens"));
  }

  // Or something else beside the messages.
  void Session(const JsonObject& piece, bool row) {
    if (row && piece.String("table") != "session" && piece.String("table") != "session_v2") return;
    const std::string_view created = row ? piece["time_created"] : piece.Object("time")["created"];
    if (!began_) began_ = ReadMilliseconds(created);
  }

  // A fork has copies with other ids, and the same times.
  static void Info(const JsonObject& info, Message& message) {
    MessageUsage& usage = message.usage;
    message.whole = false;
    usage.message = fmt::format("{}{}{}", info["time"], info["modelID"], info["tokens"]);
    usage.model = info.String("modelID").value_or("");
    usage.time = ReadMilliseconds(info.Object("time")["created"]);
    if (info.String("role") == "assistant") usage.tokens = ReadTokens(info.Object("tokens"));
  }

  static void Step(const std::string& id, const JsonObject& part, Message& message) {
    if (part.String("type") == "step-finish") message.steps[id] = ReadTokens(part.Object("tokens"));
  }

  // A message itself has the tokens of its last step only.
  void Emit(const std::string& id, const Message& message, const UsageSink& sink) const {
    MessageUsage usage = message.usage;
    usage.conversation_began = began_;
    if (usage.message.empty()) usage.message = id;
    TokenUsage steps;
    for (const auto& [step, tokens] : message.steps) steps += tokens;
    if (steps.total() > 0) usage.tokens = steps;
    if (usage.tokens.total() > 0) sink(std::move(usage));
  }

  std::map<std::string, Message> messages_;  // by their ids
  std::optional<Timestamp> began_;           // the session
};

}  // namespace

std::unique_ptr<UsageReader> ReadOpencodeUsage() { return std::make_unique<OpencodeUsage>(); }

}  // namespace turnlog
