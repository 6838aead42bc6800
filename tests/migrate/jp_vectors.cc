#include "tests/migrate/jp_vectors.h"

#include <stdexcept>

#include "base/file_system.h"
#include "migrate/jp_reader.h"
#include "migrate/jp_writer.h"
#include "migrate/json_text.h"
#include "schema/json_scan.h"

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
