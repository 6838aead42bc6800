#include "tests/migrate/jp_vectors.h"

#include <stdexcept>

#include "base/file_system.h"
#include "migrate/import/secret_answers.h"
#include "migrate/jp/history_writer.h"
#include "migrate/jp/reader.h"
#include "migrate/jp/record.h"
#include "migrate/jp/writer.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_layout.h"
#include "tests/migrate/jp_events.h"
#include "tests/support/memory_bytes.h"

namespace turnlog {
namespace {

std::vector<std::string_view> Elements(std::string_view array) {
  const auto split = SplitJpEvents(array);
  if (!split) throw std::runtime_error(std::string(split.error().reason));
  std::vector<std::string_view> elements;
  for (const RawElement& element : split->elements) elements.push_back(element.text);
  return elements;
}

std::optional<std::vector<std::string>> Expected(std::string_view record) {
  if (const auto tip = FindJsonField(record, "differs_rfd082_tip")) record = tip->value;
  const auto events = FindJsonField(record, "expected_events");
  if (!events || events->value == "null") return std::nullopt;
  std::vector<std::string> expected;
  for (const std::string_view element : Elements(events->value)) expected.push_back(JpLayout(element));
  return expected;
}

JpVector ReadVector(std::string_view record) {
  JpVector vector;
  vector.name = FindJsonString(record, "name").value();
  vector.mode = FindJsonString(record, "mode").value();
  vector.packed = FindJsonField(record, "base_config").value().value == "null";
  AppendPretty(FindJsonField(record, "input_events").value().value, 0, vector.input);
  vector.input += "\n";
  vector.expected = Expected(record);
  return vector;
}

}  // namespace

void PrintTo(const JpVector& vector, std::ostream* out) { *out << vector.name; }

std::vector<JpVector> ReadJpVectors(const std::filesystem::path& file) {
  const auto text = ReadFile(PosixFileSystem(), file);
  if (!text) throw std::runtime_error(text.error().message);
  std::vector<JpVector> vectors;
  for (const std::string_view record : Elements(*text)) vectors.push_back(ReadVector(record));
  return vectors;
}

std::expected<JpHistory, BadHistory> ReadJpHistory(std::string_view text, bool packed, const std::string& file) {
  Source source{"17", "17", {}, {}};
  source.files.emplace_back(file, std::make_shared<MemoryBytes>(std::string(text)));
  if (!packed) source.files.emplace_back("base_config.json", std::make_shared<MemoryBytes>("{}"));
  bool asks = false;
  SecretAnswerFilter reader(std::make_unique<JpReader>(source), asks);
  JpHistory history;
  ImportRecord record{.format = "jp", .source = "17"};
  for (;;) {
    const auto item = reader.Next();
    if (!item) throw std::runtime_error(item.error().message);
    if (const auto* end = std::get_if<EndOfSource>(&*item)) {
      history.taken += end->size;
      break;
    }
    if (const auto* fault = std::get_if<SourceFault>(&*item)) {
      return std::unexpected(BadHistory{fault->problem.byte.value_or(0), fault->problem.reason});
    }
    if (const auto* part = std::get_if<SourcePart>(&*item)) {
      record.parts[part->name] = part->bytes;
      if (!part->name.starts_with("files/")) history.taken += part->size;
    }
    if (const auto* note = std::get_if<SourceNote>(&*item)) {
      (note->weight == SourceNote::Weight::kProblem ? history.problems : history.notes).push_back(note->note);
    }
    if (const auto* event = std::get_if<SourceEvent>(&*item)) {
      history.events.push_back(Own(event->event.View()));
      history.elements.push_back(event->location.element);
      history.redacted |= event->redacted;
      if (!event->is_quarantined()) history.taken += event->size;
      if (event->is_quarantined()) {
        history.problems.push_back(At(event->location, {ImportProblemCode::kQuarantined, event->remarks->problem}));
      }
      if (event->remarks != nullptr && !event->remarks->note.empty()) {
        history.notes.push_back(At(event->location, event->remarks->note));
      }
    }
  }
  const JpRecord read = ReadJpRecord(record).value();
  history.packed_config = read.packed_config;
  history.trailer = read.trailer;
  history.torn = read.torn;
  return history;
}

std::string WriteBack(const JpHistory& history) {
  std::string text;
  JpHistoryWriter writer(text);
  if (history.packed_config) writer.AddConfig(*history.packed_config);
  for (const Event& event : history.events) writer.Add(View(event));
  history.torn ? writer.FinishTorn(*history.torn) : writer.Finish(history.trailer);
  return text;
}

std::string JpLayout(std::string_view json) {
  std::string out;
  AppendPretty(json, 1, out);
  return out;
}

std::vector<std::string> JpElements(const std::vector<Event>& events) {
  std::vector<std::string> elements;
  for (const Event& event : events) AppendJpElement(View(event), elements.emplace_back());
  return elements;
}

}  // namespace turnlog
