#include "sanitize/redaction_record.h"

#include "schema/json_writer.h"

namespace turnlog {
namespace {

// As pairs of the first and the last of each run.
void AppendRuns(const std::set<Seq>& seqs, JsonWriter& json) {
  json.StartArray();
  for (auto seq = seqs.begin(); seq != seqs.end();) {
    const std::uint64_t first = seq->value;
    std::uint64_t last = first;
    for (++seq; seq != seqs.end() && seq->value == last + 1; ++seq) ++last;
    json.StartArray(), json.Unsigned(first), json.Unsigned(last), json.EndArray();
  }
  json.EndArray();
}

}  // namespace

Event ToEvent(const RedactionRecord& record) {
  std::set<Seq> all;
  for (const auto& [rule, seqs] : record.rules) all.insert(seqs.begin(), seqs.end());
  const std::string_view type = ToString(EventKind::kRedaction);
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Field("type", type);
  json.Field("timestamp", record.time.ToRfc3339());
  json.Field("by", record.by);
  json.Key("events"), json.Unsigned(all.size());
  json.Key("rules"), json.StartArray();
  for (const auto& [rule, seqs] : record.rules) {
    json.StartObject();
    json.Field("rule", rule);
    json.Key("events"), json.Unsigned(seqs.size());
    json.Key("seqs"), AppendRuns(seqs, json);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  Event event;
  event.body = Verbatim{EventKind::kRedaction, std::string(type), Json::FromTrusted(std::move(text))};
  event.timestamp = record.time;
  return event;
}

}  // namespace turnlog
