#include "bench/histories.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <array>
#include <fstream>
#include <map>
#include <random>
#include <string>

#include "bench/stores.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFiles = 32;
constexpr std::size_t kFileBytes = std::size_t{8} << 20;

// Words and line breaks, as JSON text without its quotes.
std::string Text(std::mt19937& random, std::size_t bytes) {
  constexpr std::array kWords{"the", "build", "function", "return", "value", "\\n", "path", "\\\"x\\\"", "import"};
  std::string text;
  while (text.size() < bytes) text.append(kWords.at(random() % kWords.size())).append(" ");
  return text;
}

// A prompt, a call and its result, which has the output twice.
void AppendClaudeCode(std::mt19937& random, std::size_t number, std::string& out) {
  const std::string session = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";
  const auto head = [&](int part) {
    return fmt::format(
        R"({{"parentUuid":"u{}","isSidechain":false,"cwd":"/home/u/project","sessionId":"{}","version":"2.0.1",)"
        R"("uuid":"u{}-{}","timestamp":"2026-08-01T10:00:00.123Z",)",
        number, session, number, part);
  };
  const std::string result = Text(random, 4'000);
  out += head(0) + R"("type":"user","message":{"role":"user","content":")" + Text(random, 200) + "\"}}\n";
  out += head(1) + R"("type":"assistant","message":{"role":"assistant","content":[{"type":"thinking","thinking":")" +
         Text(random, 400) + R"(","signature":")" + std::string(300, 'E') +
         fmt::format(R"("}},{{"type":"tool_use","id":"t{}","name":"Bash","input":{{"command":")", number) +
         Text(random, 100) + "\"}}]}}\n";
  out += head(2) + fmt::format(R"("type":"user","message":{{"role":"user","content":[{{"tool_use_id":"t{}",)", number) +
         R"("type":"tool_result","content":")" + result + R"("}]},"toolUseResult":{"stdout":")" + result + "\"}}\n";
}

void AppendCodex(std::mt19937& random, std::size_t number, std::string& out) {
  const auto item = [&](const std::string& payload) {
    out += R"({"timestamp":"2026-08-01T10:00:00.123Z","type":"response_item","payload":)" + payload + "}\n";
  };
  if (number == 0)
    out += R"({"type":"session_meta","payload":{"id":"thread","cwd":"/"}})"
           "\n";
  item(R"({"type":"message","role":"user","content":[{"type":"input_text","text":")" + Text(random, 200) + "\"}]}");
  item(fmt::format(R"({{"type":"function_call","call_id":"c{}","name":"shell","arguments":"{{\"command\":\")", number) +
       "ls" + R"(\"}"})");
  item(fmt::format(R"({{"type":"function_call_output","call_id":"c{}","output":")", number) + Text(random, 4'000) +
       "\"}");
}

void AppendJp(std::mt19937& random, std::size_t number, std::string& out) {
  out += number == 0 ? "[\n" : ",\n";
  out += "  {\n    \"type\": \"turn_start\"\n  },\n  {\n    \"type\": \"chat_request\",\n    \"content\": \"" +
         Text(random, 400) + "\"\n  },\n  {\n    \"type\": \"chat_response\",\n    \"message\": \"" +
         Text(random, 2'000) + "\"\n  }";
}

constexpr std::array kHistories{History{"claude-code", AppendClaudeCode}, History{"codex", AppendCodex},
                                History{"jp", AppendJp}};

fs::path NameOf(const History& history, std::size_t file) {
  const std::string_view format = history.format;
  if (format == "jp") return fs::path(fmt::format("{}-t", 17'000 + file)) / "events.json";
  const std::string id = fmt::format("0a1b2c3d-4e5f-4061-8071-{:012x}", file);
  return format == "codex" ? "rollout-2026-08-01T10-00-00-" + id + ".jsonl" : id + ".jsonl";
}

// Written once for all rows.
const Folder& Written(const History& history) {
  static std::map<std::string_view, Folder> folders;
  const auto [folder, fresh] = folders.try_emplace(history.format);
  for (std::size_t file = 0; fresh && file < kFiles; ++file) {
    std::mt19937 random(static_cast<std::uint32_t>(file));
    const std::size_t bytes = kFileBytes * settings.scale_percent / 100;
    std::string text;
    for (std::size_t number = 0; text.size() < bytes || number == 0; ++number) history.append(random, number, text);
    if (history.format == std::string_view("jp")) text += "\n]\n";
    const fs::path path = folder->second.path() / NameOf(history, file);
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  return folder->second;
}

}  // namespace

std::span<const History> Histories() { return kHistories; }

fs::path FolderOf(const History& history) { return Written(history).path(); }

std::int64_t BytesOf(const History& history) {
  std::uintmax_t bytes = 0;
  for (std::size_t file = 0; file < kFiles; ++file) {
    bytes += fs::file_size(Written(history).path() / NameOf(history, file));
  }
  return static_cast<std::int64_t>(bytes);
}

void ParseWithSimdjson(benchmark::State& state, const History& history) {
  for (auto _ : state) {
    for (std::size_t file = 0; file < kFiles; ++file) {
      const fs::path path = Written(history).path() / NameOf(history, file);
      simdjson::padded_string text(fs::file_size(path));
      std::ifstream in(path, std::ios::binary);
      if (!in.read(text.data(), static_cast<std::streamsize>(text.size()))) return state.SkipWithError("no file");
      simdjson::dom::parser parser;
      simdjson::dom::document_stream documents;
      if (parser.parse_many(text, text.size() + 1).get(documents)) return state.SkipWithError("not JSON");
      for (const auto document : documents) benchmark::DoNotOptimize(document.error());
    }
  }
  state.SetBytesProcessed(state.iterations() * BytesOf(history));
}

}  // namespace turnlog
