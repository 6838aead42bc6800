// One file of JSON lines, as many agents keep their histories. No checksum, no index.
#include <simdjson.h>

#include "bench/engine.h"
#include "bench/peers/append_file.h"

namespace turnlog {
namespace {

constexpr std::size_t kWindow = 1 << 20;

class JsonLines : public Engine {
 public:
  explicit JsonLines(const std::filesystem::path& folder) : file_(folder / "events.jsonl") {}

  std::uint64_t AppendLater(const Batch& batch) override {
    return file_.commit().Add([&](std::string& out) {
      for (const std::string& line : batch.lines) out.append(line);
    });
  }
  void Wait(std::uint64_t ticket, Durability durability) override { file_.commit().Wait(ticket, durability); }
  void Settle() override { file_.Sync(); }

  Seen ReadAll(Depth depth) override {
    Seen seen;
    if (depth == Depth::kRecord) return seen;  // without a checksum, only parsing verifies a line
    file_.ReadAll(kWindow, simdjson::SIMDJSON_PADDING, [&](std::string_view window) { return Take(window, seen); });
    return seen;
  }

 private:
  std::size_t Take(std::string_view window, Seen& seen) {
    const std::size_t end = window.rfind('\n') + 1;
    simdjson::ondemand::document_stream lines;
    if (parser_.iterate_many(window.data(), end, kWindow).get(lines)) Fail("cannot parse");
    for (auto line : lines) {
      std::string_view time, type;
      if (line["timestamp"].get_string().get(time) || line["type"].get_string().get(type))
        Fail("a line is not an event");
      seen.check += time.size() + type.size();
      ++seen.events;
    }
    return end;
  }

  AppendFile file_;
  simdjson::ondemand::parser parser_;
};

}  // namespace

const EngineKind kJsonLines{"JSON lines",
                            [](const std::filesystem::path& folder, Durability) -> std::unique_ptr<Engine> {
                              return std::make_unique<JsonLines>(folder);
                            }};

}  // namespace turnlog
