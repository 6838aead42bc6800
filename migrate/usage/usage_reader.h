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
  bool copy = false;      // the record is one of another conversation, as far as can be told
  bool by_place = false;  // the id is one of a place: other messages than copies may have it, too
  // Where nothing tells a copy: when the conversation began, which is later than that of the other one.
  std::optional<Timestamp> conversation_began{};
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
  // Before all else: which conversations are counted.
  virtual void Know(std::function<bool(std::string_view conversation)> /*is_counted*/) {}
  // Whether a record that is read next is a copy. `foreign`: it was imported as nothing else.
  virtual bool IsCopy(const JsonObject& /*record*/, bool /*foreign*/) const { return false; }
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
