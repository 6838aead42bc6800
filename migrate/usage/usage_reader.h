// What a format's records say of the tokens that a message has cost.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "migrate/records/json_object.h"
#include "turnlog/migrate/usage.h"

namespace turnlog {

struct MessageUsage {
  std::string message;  // its id, by which copies are recognised; empty: it has none
  std::string model;
  std::optional<Timestamp> time;
  TokenUsage tokens;
};

using UsageSink = std::function<void(MessageUsage usage)>;

// One object for each conversation.
class UsageReader {
 public:
  virtual ~UsageReader() = default;
  // Whether a record is needed that has this text, among others: a fast test.
  virtual bool Wants(std::string_view text) const = 0;
  // What the last import has of the source besides its records, before these: in the order of the names.
  virtual void ReadPart(std::string_view /*name*/, std::string_view /*text*/, const UsageSink& /*sink*/) {}
  // The records of the conversation in order, at least those that are wanted.
  virtual void Read(const JsonObject& record, const UsageSink& sink) = 0;
  // After all of them.
  virtual void Finish(const UsageSink& /*sink*/) {}
  // What surrounds a list of records, with an empty list.
  virtual void ReadDocument(const JsonObject& /*document*/, const UsageSink& /*sink*/) {}
};

// The number in a field; 0 if there is none.
std::uint64_t TokensIn(const JsonObject& object, std::string_view field);

// The usage of Anthropic's API: cached tokens are not in `input_tokens`.
TokenUsage ReadAnthropicUsage(const JsonObject& usage);
// Of OpenAI's APIs: they are.
TokenUsage ReadOpenAiUsage(const JsonObject& usage);

}  // namespace turnlog
