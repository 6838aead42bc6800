#include "migrate/records/probe_records.h"

#include <cctype>
#include <filesystem>

#include "migrate/format.h"
#include "migrate/records/torn_document.h"

namespace turnlog {

bool IsUuid(std::string_view text) {
  constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return std::ranges::equal(text, kShape, [](char c, char shape) {
    return shape == 'x' ? std::isxdigit(static_cast<unsigned char>(c)) != 0 : c == shape;
  });
}

std::string CutRecordOf(std::string_view head) {
  if (head.size() < kProbeBytes) return {};
  const std::string_view cut = head.substr(head.rfind('\n') + 1);
  const auto closed = CloseDocument(cut);
  return closed ? std::string(cut.substr(0, closed->end)) + closed->closing : std::string();
}

std::string StemOf(std::string_view name) { return std::filesystem::path(name).stem().string(); }

std::vector<ConversationId> ConversationOfFile(const Source& source) {
  const auto id = ConversationId::Parse(StemOf(source.files.front().name()));
  return id ? std::vector{*id} : std::vector<ConversationId>();
}

}  // namespace turnlog
