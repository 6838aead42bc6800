#include "migrate/langgraph/message_channels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

constexpr std::string_view kAllMessages = "__remove_all__";

// Extensions of MessagePack. The second one was written by early versions in the place of a value.
bool IsSnapshot(const JsonObject& value) { return value["$ext"] == "7"; }
bool IsAbsent(const JsonObject& value) { return value["$ext"] == "8"; }

// What the metadata of a checkpoint count for each DeltaChannel, in the versions of LangGraph.
constexpr std::array kCounters{"counters_since_delta_snapshot", "counters_since_last_snapshot",
                               "delta_updates_since_snapshot"};

bool IsCounted(const JsonObject& checkpoint, const std::string& channel) {
  const JsonObject metadata = checkpoint.Object("metadata");
  return std::ranges::any_of(kCounters, [&](const char* name) { return !metadata.Object(name)[channel].empty(); });
}

ChannelKind KindOfValue(std::string_view value) {
  const bool may_be = value.starts_with('{');
  const JsonObject object = may_be ? JsonObject::Parse(value).value_or(JsonObject()) : JsonObject();
  const bool delta = IsSnapshot(object) || IsAbsent(object) || (may_be && ReadPythonObject(value, "_DeltaSnapshot"));
  return delta ? ChannelKind::kDelta : ChannelKind::kWhole;
}

// The value in an object that replaces what a channel has.
std::string_view OverwriteIn(std::string_view value) {
  if (const auto object = ReadPythonObject(value, "Overwrite")) return (*object)["value"];
  const JsonObject plain = JsonObject::Parse(value).value_or(JsonObject());
  return plain["type"] == R"("__overwrite__")" ? plain["value"] : plain["__overwrite__"];
}

// ["user","Hi"], as programs write what the channel makes messages of.
std::optional<LangMessage> ReadPair(std::string_view element) {
  const std::vector<std::string_view> pair = ElementsOf(element);
  if (pair.size() != 2 || !IsJsonString(pair[0]) || !IsJsonString(pair[1])) return std::nullopt;
  const std::string text = fmt::format(R"({{"role":{},"content":{}}})", pair[0], pair[1]);
  const auto message = ReadLangMessage(std::string_view(text));
  return message ? std::optional(message->Keep()) : std::nullopt;
}

}  // namespace

std::string_view MessageListIn(std::string_view value) {
  if (!value.starts_with('{')) return value;
  const JsonObject object = JsonObject::Parse(value).value_or(JsonObject());
  if (IsSnapshot(object)) return object["value"];
  const auto snapshot = ReadPythonObject(value, "_DeltaSnapshot");
  return snapshot ? (*snapshot)["value"] : std::string_view();
}

std::optional<ChannelKind> ChannelKindIn(const JsonObject& checkpoint, const std::string& channel) {
  const JsonObject state = checkpoint.Object("checkpoint");
  const std::string_view value = state.Object("channel_values")[channel];
  if (!value.empty()) return KindOfValue(value);
  const bool has_version = !state.Object("channel_versions")[channel].empty();
  return has_version || IsCounted(checkpoint, channel) ? std::optional(ChannelKind::kDelta) : std::nullopt;
}

std::optional<MessageWrite> ReadMessageWrite(std::string_view value) {
  MessageWrite write;
  if (value.starts_with('{')) {
    const std::string_view list = OverwriteIn(value);
    write.overwrites = !list.empty();
    if (!write.overwrites) {
      auto message = ReadLangMessage(value);
      if (!message) return std::nullopt;
      write.messages.push_back(*std::move(message));
      return write;
    }
    value = list;
  }
  for (const std::string_view element : ElementsOf(value)) {
    auto message = ReadLangMessage(element);
    if (!message) message = ReadPair(element);
    write.is_whole &= message.has_value();
    if (message) write.messages.push_back(*std::move(message));
  }
  return write.overwrites || !write.messages.empty() ? std::optional(std::move(write)) : std::nullopt;
}

std::vector<MessageList> MessageChannels::Take(const JsonObject& checkpoint) {
  TakeKinds(checkpoint);
  for (Channel& channel : channels_) {
    channel.in_record.clear();
    if (channel.kind != ChannelKind::kDelta) TakeList({}, channel);
  }
  return TakeLists(checkpoint) ? Lists() : std::vector<MessageList>();
}

// Whether there are any.
bool MessageChannels::TakeLists(const JsonObject& checkpoint) {
  bool any = false;
  const JsonObject values = checkpoint.Object("checkpoint").Object("channel_values");
  for (const auto& [name, value] : values.fields()) {
    Channel& channel = Of(UnescapeJson(name));
    const std::string_view list = MessageListIn(value);
    channel.in_record = ReadLangMessages(list);
    const bool is_emptied = channel.has_messages && list == "[]";
    if (channel.in_record.empty() && !is_emptied) continue;
    TakeList(list, channel);
    channel.has_messages = any = true;
  }
  return any;
}

std::vector<MessageList> MessageChannels::Lists() {
  std::vector<MessageList> lists;
  for (Channel& channel : channels_) {
    if (!channel.has_messages) continue;
    if (channel.in_record.empty()) Read(channel);
    MessageList& list = lists.emplace_back();
    const auto& messages = channel.in_record.empty() ? channel.messages : channel.in_record;
    for (const LangMessage& message : messages) list.push_back(&message);
  }
  return lists;
}

std::optional<ChannelKind> MessageChannels::KindOf(std::string_view name) const {
  const auto found = std::ranges::find(channels_, name, &Channel::name);
  return found != channels_.end() ? found->kind : std::nullopt;
}

bool MessageChannels::IsDelta(std::string_view channel) const {
  const auto found = std::ranges::find(channels_, channel, &Channel::name);
  return found != channels_.end() && found->kind == ChannelKind::kDelta && found->has_messages;
}

bool MessageChannels::AnyDelta() const {
  return std::ranges::any_of(channels_, [this](const Channel& channel) { return IsDelta(channel.name); });
}

bool MessageChannels::Apply(std::string_view name, MessageWrite& write) {
  Channel& channel = Of(name);
  Read(channel);
  channel.has_messages = true;
  bool only_adds = !write.overwrites;
  if (write.overwrites) channel.Clear();
  for (LangMessage& message : write.messages) only_adds &= Apply(message, channel);
  return only_adds;
}

std::vector<MessageList> MessageChannels::After(const MessageWrite& write) {
  for (Channel& channel : channels_) channel.in_record.clear();
  std::vector<MessageList> lists = Lists();
  // Events are made of the bytes of their record if it has them.
  std::unordered_map<std::string_view, const LangMessage*> written;
  for (const LangMessage& message : write.messages) written.try_emplace(message.key, &message);
  for (MessageList& list : lists) {
    for (const LangMessage*& message : list) {
      const auto same = written.find(message->key);
      if (same != written.end() && same->second->contents == message->contents) message = same->second;
    }
  }
  return lists;
}

MessageChannels::Channel& MessageChannels::Of(std::string_view name) {
  const auto found = std::ranges::find(channels_, name, &Channel::name);
  return found != channels_.end() ? *found : channels_.emplace_back(Channel{.name = std::string(name)});
}

void MessageChannels::TakeKinds(const JsonObject& checkpoint) {
  const JsonObject values = checkpoint.Object("checkpoint").Object("channel_values");
  for (const auto& [name, value] : values.fields()) SetKind(UnescapeJson(name), KindOfValue(value));
  const JsonObject metadata = checkpoint.Object("metadata");
  for (const char* const counters : kCounters) {
    const JsonObject counted = metadata.Object(counters);
    for (const auto& [name, count] : counted.fields()) {
      SetKind(UnescapeJson(name), ChannelKind::kDelta);
    }
  }
}

void MessageChannels::TakeList(std::string_view list, Channel& channel) {
  channel.value = list;
  channel.is_read = false;
  channel.Clear();
}

void MessageChannels::Read(Channel& channel) {
  if (std::exchange(channel.is_read, true)) return;
  for (const LangMessage& message : ReadLangMessages(channel.value)) {
    channel.Add(message);
  }
}

bool MessageChannels::Apply(LangMessage& message, Channel& channel) {
  if (message.is_removal) return !Remove(message.key, channel);
  if (!message.has_id()) {
    std::size_t& equal = channel.equal[message.key];
    while (channel.places.contains(NumberedKey(message.key, equal))) ++equal;
    message.key = NumberedKey(message.key, equal);
  }
  if (channel.Add(message)) return true;
  LangMessage& known = channel.messages[channel.places.at(message.key)];
  const bool same = known.contents == message.contents;
  known = message.Keep();
  return same;
}

// Whether there was such a message.
bool MessageChannels::Remove(const std::string& key, Channel& channel) {
  if (key == kAllMessages) {
    const bool any = !channel.messages.empty();
    channel.Clear();
    return any;
  }
  const auto place = channel.places.extract(key);
  if (place.empty()) return false;
  channel.messages.erase(channel.messages.begin() + static_cast<std::ptrdiff_t>(place.mapped()));
  for (std::size_t i = place.mapped(); i < channel.messages.size(); ++i) channel.places[channel.messages[i].key] = i;
  return true;
}

bool MessageChannels::Channel::Add(const LangMessage& message) {
  const bool is_new = places.try_emplace(message.key, messages.size()).second;
  if (is_new) messages.push_back(message.Keep());
  return is_new;
}

}  // namespace turnlog
