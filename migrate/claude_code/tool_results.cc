#include "migrate/claude_code/tool_results.h"

namespace turnlog {
namespace {

constexpr std::string_view kFolder = "tool-results/";

class TextConverter final : public RecordConverter {
 public:
  RecordHead Head(const JsonObject& /*record*/) const override { return {}; }
  void Convert(const JsonObject& /*record*/, RecordEvents& /*events*/) override {}
  // A file that has not changed is not read; one that has is read as a whole.
  std::optional<std::string> Save() const override { return std::string(); }
};

}  // namespace

bool IsToolResultFile(std::string_view name) { return name.starts_with(kFolder); }

std::string ToolResultFile(std::string_view path, std::string_view content) {
  constexpr std::string_view kPersisted = "<persisted-output>";
  const std::string_view text = !path.empty() ? path : content.starts_with(kPersisted) ? content : std::string_view();
  const std::size_t begin = text.find(kFolder);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_first_of("\r\n\"<", begin) - begin));
}

std::unique_ptr<RecordConverter> MakeTextConverter() { return std::make_unique<TextConverter>(); }

}  // namespace turnlog
