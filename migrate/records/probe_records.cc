#include "migrate/records/probe_records.h"

#include <cctype>
#include <filesystem>

#include "base/printable.h"
#include "migrate/records/torn_document.h"
#include "schema/json/json_scan.h"

namespace turnlog {

bool IsUuid(std::string_view text) {
  constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return std::ranges::equal(text, kShape, [](char c, char shape) {
    return shape == 'x' ? std::isxdigit(static_cast<unsigned char>(c)) != 0 : c == shape;
  });
}

std::vector<JsonObject> ObjectsIn(std::string_view line) {
  std::vector<JsonObject> objects;
  const std::size_t begin = std::min(line.find('{'), line.size());
  const std::size_t end = line.find_last_of('}') + 1;
  if (auto whole = JsonObject::Parse(line.substr(begin, end > begin ? end - begin : 0))) {
    objects.push_back(*std::move(whole));
    return objects;
  }
  line.remove_prefix(begin);
  while (!line.empty()) {
    const auto first = ScanJson(line);
    if (!first) break;
    objects.push_back(JsonObject::OfValid(line.substr(0, *first)));
    line.remove_prefix(std::min(line.find('{', *first), line.size()));
  }
  return objects;
}

std::string CutRecordOf(std::string_view head) {
  if (head.size() < kProbeBytes) return {};
  const std::string_view cut = head.substr(head.rfind('\n') + 1);
  const auto closed = CloseDocument(cut);
  return closed ? std::string(cut.substr(0, closed->end)) + closed->closing : std::string();
}

std::string StemOf(std::string_view name) { return std::filesystem::path(name).stem().string(); }

std::string IdOfFile(std::string_view name) {
  std::string stem = StemOf(name);
  return ConversationId::Parse(stem) ? stem : Printable(stem);
}

std::vector<ConversationId> ConversationOfFile(const Source& source) {
  const auto id = ConversationId::Parse(IdOfFile(source.files.front().name()));
  return id ? std::vector{*id} : std::vector<ConversationId>();
}

}  // namespace turnlog
