// make_dictionary OUT FILE...: makes a dictionary for compressed payloads from texts of the project's own: the events
// of .jsonl files, and the paragraphs of other files in events of the kinds that hold most text. Never from anybody's
// histories: a dictionary holds pieces of its samples for ever. scripts/make-dictionary has the files.
#include <fmt/format.h>
#include <zdict.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "bench/events.h"
#include "schema/event/codec.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

constexpr std::size_t kDictionaryBytes = 32 << 10;
constexpr std::size_t kSampleBytes = 8 << 10;  // of a longer one, the rest is left out
constexpr std::size_t kShortestParagraph = 80;
// Few, so that they are a small part: the dictionary is for everybody's events, not for the benchmark's.
constexpr std::size_t kBenchmarkEvents = 100;
constexpr std::uint32_t kBenchmarkWriter = 1000;                // none that a benchmark has
constexpr std::int64_t kFirstTime = 1'767'225'600'000'000'000;  // 2026-01-01

class Samples {
 public:
  void Add(const EventView& event) {
    const std::string_view payload = encoder_.Encode(event);
    bytes_.append(payload.substr(0, kSampleBytes));
    sizes_.push_back(std::min(payload.size(), kSampleBytes));
  }

  void AddLines(const std::string& text) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      if (const auto event = ParseEvent(std::string_view(text).substr(begin, end - begin))) Add(View(*event));
      begin = end + 1;
    }
  }

  void AddParagraphs(const std::string& text, const std::string& path) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find("\n\n", begin), text.size());
      if (end - begin >= kShortestParagraph) AddParagraph(text.substr(begin, end - begin), path);
      begin = end + 2;
    }
  }

  void AddBenchmark() {
    Script script(Mix::kSmall, kBenchmarkWriter, 100);
    for (std::size_t i = 0; i < kBenchmarkEvents; ++i) Add(script.Take(1).events.front());
  }

  std::string Train() const {
    std::string dictionary(kDictionaryBytes, '\0');
    const std::size_t size = ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), bytes_.data(), sizes_.data(),
                                                   static_cast<unsigned>(sizes_.size()));
    dictionary.resize(ZDICT_isError(size) != 0 ? 0 : size);
    return dictionary;
  }

 private:
  void AddParagraph(const std::string& text, const std::string& path) {
    const std::uint64_t n = paragraphs_++;
    Event event{.timestamp = Timestamp{kFirstTime + static_cast<std::int64_t>(n * 86'461'007'919'000)}};
    switch (n % 4) {
      case 0:
        event.body = ChatResponse{.content = text};
        break;
      case 1:
        event.body = ChatRequest{.content = text};
        break;
      case 2:
        event.body = ToolCallResponse{.id = fmt::format("toolu_01{:014x}", n), .content = text};
        break;
      default:
        event.body =
            ToolCallRequest{.id = fmt::format("call_{:08x}", n),
                            .name = "fs_read_file",
                            .arguments = Json::FromTrusted(fmt::format(
                                R"({{"path": {}, "text": {}}})", JsonString(path).text(), JsonString(text).text()))};
    }
    Add(View(event));
  }

  EventEncoder encoder_;
  std::string bytes_;
  std::vector<std::size_t> sizes_;
  std::uint64_t paragraphs_ = 0;
};

int Run(std::string_view out, const std::vector<std::string>& paths) {
  Samples samples;
  samples.AddBenchmark();
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    path.ends_with(".jsonl") ? samples.AddLines(text) : samples.AddParagraphs(text, path);
  }
  const std::string dictionary = samples.Train();
  std::ofstream(std::string(out), std::ios::binary) << dictionary;
  return dictionary.size() == kDictionaryBytes ? 0 : 1;
}

}  // namespace
}  // namespace turnlog

int main(int count, char** arguments) {
  if (count < 3) return std::fputs("usage: make_dictionary OUT FILE...\n", stderr), 2;
  return turnlog::Run(arguments[1], {arguments + 2, arguments + count});
}
