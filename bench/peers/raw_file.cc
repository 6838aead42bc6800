// A minimal log: length, position and checksum before each event, one file, no index.
#include "base/coding.h"
#include "base/hash.h"
#include "bench/engine.h"
#include "bench/peers/append_file.h"

namespace turnlog {
namespace {

constexpr std::size_t kHeader = 24;

class RawFile : public Engine {
 public:
  explicit RawFile(const std::filesystem::path& folder) : file_(folder / "events.log") {}

  std::uint64_t AppendLater(const Batch& batch) override {
    return file_.commit().Add([&](std::string& out) {
      std::uint64_t seq = batch.first_seq;
      for (const std::string& payload : batch.payloads) Add(batch.conversation, seq++, payload, out);
    });
  }
  void Wait(std::uint64_t ticket, Durability durability) override { file_.commit().Wait(ticket, durability); }
  void Settle() override { file_.Sync(); }

  Seen ReadAll(Depth) override {
    Seen seen;
    file_.ReadAll(256 << 10, 0, [&](std::string_view window) { return Take(window, seen); });
    return seen;
  }

 private:
  static void Add(std::uint32_t conversation, std::uint64_t seq, std::string_view payload, std::string& out) {
    const std::size_t at = out.size();
    out.resize(at + kHeader);
    StoreLittle(out.data() + at, static_cast<std::uint32_t>(payload.size()));
    StoreLittle(out.data() + at + 4, conversation);
    StoreLittle(out.data() + at + 8, seq);
    StoreLittle(out.data() + at + 16, Hash64(payload));
    out.append(payload);
  }

  static std::size_t Take(std::string_view window, Seen& seen) {
    std::size_t at = 0;
    while (at + kHeader <= window.size()) {
      const std::size_t length = LoadLittle<std::uint32_t>(window.data() + at);
      if (at + kHeader + length > window.size()) break;
      const std::uint64_t hash = Hash64(window.substr(at + kHeader, length));
      if (hash != LoadLittle<std::uint64_t>(window.data() + at + 16)) Fail("a record does not match its checksum");
      seen.check += hash;
      ++seen.events;
      at += kHeader + length;
    }
    return at;
  }

  AppendFile file_;
};

}  // namespace

const EngineKind kRawFile{"raw file", [](const std::filesystem::path& folder, Durability) -> std::unique_ptr<Engine> {
                            return std::make_unique<RawFile>(folder);
                          }};

}  // namespace turnlog
