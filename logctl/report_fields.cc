#include "logctl/report_fields.h"

namespace turnlog {

void AddFields(JsonDocument& json, const ConversationInfo& info, std::size_t pending) {
  json.Field("id", info.id);
  json.Field("events", info.last);
  json.Field("turns", info.turns);
  json.Field("pending", std::uint64_t{pending});
  json.Field("first_time", info.first_time);
  json.Field("last_time", info.last_time);
  json.Field("bytes", info.bytes);
}

void AddDamage(JsonDocument& json, std::span<const Damage> damage) {
  json.Array("damage");
  for (const Damage& each : damage) {
    json.Object();
    json.Field("file", each.file);
    json.Field("offset", each.offset);
    json.Field("length", each.length);
    json.Field("conversation", each.conversation);
    json.Field("seq", each.seq);
    json.Field("reason", each.reason);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace turnlog
