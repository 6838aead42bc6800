#include "migrate/openai_agents/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "migrate/openai_agents/row_converter.h"
#include "migrate/openai_agents/state_names.h"

namespace turnlog {
namespace {

// An object, in a RunState the only one of a list, in a row as text.
JsonObject Details(const JsonObject& usage, std::string_view field) {
  const std::vector<std::string_view> list = ElementsOf(usage[field]);
  return list.empty() ? usage.Embedded(field) : JsonObject::Parse(list.front()).value_or(JsonObject());
}

TokenUsage ReadTokens(const JsonObject& usage, const StateNames& names) {
  const JsonObject input = Details(usage, names.input_details);
  TokenUsage tokens{.input = TokensIn(usage, names.input_tokens),
                    .cache_write = TokensIn(input, "cache_write_tokens"),
                    .cache_read = TokensIn(input, "cached_tokens"),
                    .output = TokensIn(usage, names.output_tokens),
                    .reasoning = TokensIn(Details(usage, names.output_details), "reasoning_tokens")};
  tokens.input -= std::min(tokens.input, tokens.cache_read + tokens.cache_write);
  return tokens;
}

class AgentsUsage final : public UsageReader {
 public:
  bool Wants(std::string_view text) const override {
    return text.contains("\"model_responses\"") || text.contains("\"modelResponses\"") ||
           text.starts_with(R"({"table":"turn_usage")");
  }

  // A run that goes on repeats its responses in its next state. Some models give them no ids.
  void Read(const JsonObject& state, const UsageSink& sink) override {
    if (state.String("table") == "turn_usage") return Turn(state);
    const StateNames& names = NamesOf(state);
    for (const std::string_view text : ElementsOf(state[names.responses])) {
      const JsonObject response = JsonObject::Parse(text).value_or(JsonObject());
      MessageUsage usage{.message = response.String(names.response_id).value_or(std::string(text)),
                         .model = {},
                         .time = {},
                         .tokens = ReadTokens(response.Object("usage"), names)};
      if (usage.tokens.total() > 0) sink(std::move(usage));
    }
  }

  void ReadPart(std::string_view name, std::string_view rows, const UsageSink& /*sink*/) override {
    if (name != "turn_usage") return;
    while (!rows.empty()) {
      const std::string_view line = rows.substr(0, rows.find('\n'));
      rows.remove_prefix(std::min(line.size() + 1, rows.size()));
      Turn(JsonObject::Parse(line).value_or(JsonObject()));
    }
  }

  void Finish(const UsageSink& sink) override {
    for (auto& [turn, usage] : turns_) {
      if (usage.tokens.total() > 0) sink(std::move(usage));
    }
  }

 private:
  // The log has each row that there was of a turn: the last one counts.
  void Turn(const JsonObject& row) {
    const std::string_view number = row["user_turn_number"];
    turns_[fmt::format("{} {}", row["branch_id"], number.empty() ? row["id"] : number)] = {
        .message = {},
        .model = {},
        .time = AgentsRowConverter().Head(row).time,
        .tokens = ReadTokens(row, NamesOf(row))};
  }

  std::map<std::string, MessageUsage> turns_;
};

}  // namespace

std::unique_ptr<UsageReader> ReadAgentsUsage() { return std::make_unique<AgentsUsage>(); }

}  // namespace turnlog
