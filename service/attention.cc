#include "service/attention.h"

#include <string>

#include "base/try.h"
#include "remote/object_reader.h"
#include "schema/json/json_writer.h"

namespace turnlog {

Result<Attention> FindAttention(Log& log, const ConversationId& conversation) {
  Attention attention;
  const auto watermark = TURNLOG_TRY(log.FindWatermark(kAttentionConsumer, conversation));
  if (!watermark) return attention;
  attention.seen = watermark->head;
  const auto state = ObjectReader::Parse(watermark->state);
  if (!state) return attention;
  attention.snoozed = state->FindTime("snoozed_until");
  attention.snoozed_at = {state->FindNumber("snoozed_at").value_or(0)};
  return attention;
}

Status SetAttention(Log& log, const ConversationId& conversation, const Attention& attention) {
  std::string state;
  if (attention.snoozed) {
    JsonWriter json(state);
    json.StartObject();
    json.Field("snoozed_until", attention.snoozed->ToRfc3339());
    json.Key("snoozed_at"), json.Unsigned(attention.snoozed_at.value);
    json.EndObject();
  }
  return log.SetWatermark(kAttentionConsumer, conversation, {.head = attention.seen, .state = std::move(state)});
}

}  // namespace turnlog
