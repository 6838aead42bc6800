// Any lines as records that say what messages have cost, to each reader: no message without its tokens, and the same
// again from a new reader.
#include <string>
#include <tuple>
#include <vector>

#include "migrate/claude_code/usage.h"
#include "migrate/codex/usage.h"
#include "migrate/gemini/usage.h"
#include "migrate/langgraph/usage.h"
#include "migrate/openai_agents/usage.h"
#include "migrate/opencode/usage.h"
#include "migrate/records/document_usage.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using namespace turnlog;

std::vector<std::tuple<std::string, std::string, std::uint64_t>> Read(UsageReader& reader, std::string_view text) {
  std::vector<std::tuple<std::string, std::string, std::uint64_t>> found;
  const UsageSink sink = [&](const MessageUsage& usage) {
    found.emplace_back(usage.message, usage.model, usage.tokens.total());
  };
  for (const std::string_view part : {"header", "turn_usage"}) reader.ReadPart(part, text, sink);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto record = JsonObject::Parse(line);
    if (!record) continue;
    (void)reader.Wants(line);
    reader.Read(*record, sink);
    reader.ReadDocument(*record, sink);
  }
  return found;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto make :
       {ReadClaudeUsage, ReadCodexUsage, ReadGeminiUsage, ReadOpencodeUsage, ReadAgentsUsage, ReadLangGraphUsage,
        ReadDocumentUsage<ReadAnthropicUsage>, ReadDocumentUsage<ReadOpenAiUsage>}) {
    Require(Read(*make(), text) == Read(*make(), text));
  }
  return 0;
}
