#include "migrate/jp/loadable.h"

#include <charconv>
#include <string_view>

#include "migrate/logged/quarantine.h"
#include "migrate/records/json_object.h"

namespace turnlog {
namespace {

using Text = std::string_view;

bool IsCount(Text json) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), count);
  return error == std::errc() && end == json.data() + json.size();
}

bool IsObjectWith(Text json, Text name) {
  const auto object = JsonObject::Parse(json);
  return object && IsJsonString((*object)[name]);
}

bool IsPolicy(Text json) {
  const auto object = JsonObject::Parse(json);
  const auto policy = object ? object->String("policy") : std::nullopt;
  return policy == "omit" || (policy == "strip" && !(*object)["request"].empty() && !(*object)["response"].empty());
}

bool LoadsCompaction(const JsonObject& compaction) {
  const auto absent = [&](Text name) { return compaction[name].empty() || compaction[name] == "null"; };
  return IsCount(compaction["from_turn"]) && IsCount(compaction["to_turn"]) &&
         (absent("summary") || IsObjectWith(compaction["summary"], "summary")) &&
         (absent("reasoning") || compaction.String("reasoning") == "strip") &&
         (absent("tool_calls") || IsPolicy(compaction["tool_calls"]));
}

bool LoadsVerbatim(const BasicVerbatim<Text>& verbatim) {
  const auto object = JsonObject::Parse(verbatim.json.text());
  if (!object || !IsJsonString((*object)["type"])) return false;
  return verbatim.kind != EventKind::kCompaction || LoadsCompaction(*object);
}

bool LoadsQuestion(const BasicQuestion<Text>& question) {
  const AnswerKind kind = question.answer_type.kind;
  return kind != AnswerKind::kMultiSelect && kind != AnswerKind::kSchema;
}

}  // namespace

bool JpLoads(const EventView& event) {
  if (ReadQuarantined(event)) return false;
  if (const auto* verbatim = std::get_if<BasicVerbatim<Text>>(&event.body)) return LoadsVerbatim(*verbatim);
  const auto* request = std::get_if<BasicInquiryRequest<Text>>(&event.body);
  return request == nullptr || LoadsQuestion(request->question);
}

bool JpMainLoads(const EventView& event) {
  if (!JpLoads(event)) return false;
  if (const auto* request = std::get_if<BasicInquiryRequest<Text>>(&event.body)) {
    return request->question.answer_type.kind != AnswerKind::kSecret;
  }
  const auto* response = std::get_if<BasicInquiryResponse<Text>>(&event.body);
  return response == nullptr || response->outcome == Outcome::kAnswered;
}

}  // namespace turnlog
