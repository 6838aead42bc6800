// The messages in the state of a LangGraph thread, by its channels.
//
// A checkpoint has all messages of an ordinary channel. Of a DeltaChannel it has them only now and then, as a snapshot:
// the state is the last one, and what was written to the channel since.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "migrate/langgraph/message.h"
#include "migrate/langgraph/shown_messages.h"

namespace turnlog {

enum class ChannelKind : std::uint8_t { kWhole, kDelta };

// Of the channel, as this record of a checkpoint shows it; nothing if it does not show it.
std::optional<ChannelKind> ChannelKindIn(const JsonObject& checkpoint, const std::string& channel);

// The list that is a channel's value, also as a snapshot.
std::string_view MessageListIn(std::string_view value);

// What was written to a channel.
struct MessageWrite {
  bool overwrites = false;
  bool is_whole = true;  // nothing else was written
  std::vector<LangMessage> messages;
};
// Nothing if it has nothing to do with messages.
std::optional<MessageWrite> ReadMessageWrite(std::string_view value);

// Memory: the messages of the last state.
class MessageChannels {
 public:
  // The lists of the state at a checkpoint; none if it has no messages itself. Valid until the next call of a function
  // that is not const, as long as the record is.
  std::vector<MessageList> Take(const JsonObject& checkpoint);
  // Of a channel, as the checkpoints so far show it; nothing if they do not.
  std::optional<ChannelKind> KindOf(std::string_view channel) const;
  void SetKind(std::string_view channel, ChannelKind kind) { Of(channel).kind = kind; }
  // Whether it is a DeltaChannel with messages, or one is.
  bool IsDelta(std::string_view channel) const;
  bool AnyDelta() const;

  // A write to a DeltaChannel, whose messages get their keys. Whether it only adds some to the state.
  bool Apply(std::string_view channel, MessageWrite& write);
  // The lists of the state after it, valid as above.
  std::vector<MessageList> After(const MessageWrite& write);

 private:
  struct Channel {
    std::string name;
    std::optional<ChannelKind> kind{};
    bool has_messages = false;
    std::vector<LangMessage> in_record{};                   // of the last checkpoint
    std::string value{};                                    // all messages, as some checkpoint has them
    bool is_read = true;                                    // the value is among `messages`
    std::vector<LangMessage> messages{};                    // each has its text
    std::unordered_map<std::string, std::size_t> places{};  // in `messages`, by their keys
    std::unordered_map<std::string, std::size_t> equal{};   // the last numbers of keys without ids

    void Clear() { messages.clear(), places.clear(), equal.clear(); }
    // False: there is one with its key.
    bool Add(const LangMessage& message);
  };

  Channel& Of(std::string_view name);
  void TakeKinds(const JsonObject& checkpoint);
  bool TakeLists(const JsonObject& checkpoint);
  std::vector<MessageList> Lists();
  static void TakeList(std::string_view list, Channel& channel);
  static void Read(Channel& channel);
  static bool Apply(LangMessage& message, Channel& channel);
  static bool Remove(const std::string& key, Channel& channel);

  std::vector<Channel> channels_;  // in the order in which they were first seen
};

}  // namespace turnlog
