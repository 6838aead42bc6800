#include "turnlog/repair.h"

#include <span>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "schema/event/event_fields.h"
#include "schema/event/repair_json_parse.h"
#include "schema/json/json_reader.h"

namespace turnlog {
namespace {

// The form of older writers. Only what the repair says counts: whatever else the object holds was never looked at.
Read<RepairView> ReadVerbatim(JsonReader& json, std::string_view text) {
  const auto names = std::span(fields::kRepair).subspan(fields::kCommonCount);
  JsonReader::Object object = TURNLOG_TRY(json.Open(text));
  RepairView repair;
  JsonView unknown;
  const auto on_field = [&](std::size_t index, JsonReader::Value value) {
    return ReadRepairField(json, index + fields::kCommonCount, value, repair);
  };
  const FieldSet seen = TURNLOG_TRY(json.Fields(object, names, unknown, on_field));
  TURNLOG_TRY(json.Close());
  TURNLOG_TRY(JsonReader::Require(object, names, seen, {0, 1, 2, 3}));
  return repair;
}

std::unexpected<Error> ToError(const ReadFault& fault) {
  const std::string where = fault.path.empty() ? "" : fault.path + ": ";
  return std::unexpected(Error{ErrorCode::kInvalidArgument, where + fault.what});
}

}  // namespace

Event ToEvent(Repair repair, std::optional<Timestamp> timestamp) {
  Event event;
  event.body = std::move(repair);
  event.timestamp = timestamp;
  return event;
}

Result<Repair> ReadRepair(const EventView& event) {
  if (const auto* repair = std::get_if<RepairView>(&event.body)) return std::get<Repair>(Own({.body = *repair}).body);
  const auto* verbatim = std::get_if<VerbatimView>(&event.body);
  if (verbatim == nullptr || verbatim->kind != EventKind::kRepair) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "type: is not repair"});
  }
  JsonReader json;
  const auto repair = ReadVerbatim(json, verbatim->json.text());
  if (!repair) return ToError(repair.error());
  const EventView typed{.body = *repair};
  TURNLOG_TRY(Validate(typed));
  return std::get<Repair>(Own(typed).body);
}

}  // namespace turnlog
