// A minimal log: one growing file of raw records, no index.
#include "bench/peers/append_file.h"
#include "bench/peers/raw_record.h"

namespace turnlog {
namespace {

class RawFile : public Engine {
 public:
  explicit RawFile(const std::filesystem::path& folder) : file_(folder / "events.log") {}

  std::uint64_t AppendLater(const Batch& batch) override {
    return file_.commit().Add([&](std::string& out) { AppendRaw(batch, out); });
  }
  void Wait(std::uint64_t ticket, Durability durability) override { file_.commit().Wait(ticket, durability); }
  void Settle() override { file_.Sync(); }

  Seen ReadAll(Depth) override {
    Seen seen;
    file_.ReadAll(256 << 10, 0, [&](std::string_view window) { return Take(window, seen); });
    return seen;
  }

 private:
  static std::size_t Take(std::string_view window, Seen& seen) {
    std::size_t at = 0;
    while (at + kRawHeader <= window.size()) {
      const std::size_t length = LoadLittle<std::uint32_t>(window.data() + at);
      if (at + kRawHeader + length > window.size()) break;
      const std::uint64_t hash = Hash64(window.substr(at + kRawHeader, length));
      if (hash != LoadLittle<std::uint64_t>(window.data() + at + 16)) Fail("a record does not match its checksum");
      seen.check += hash;
      ++seen.events;
      at += kRawHeader + length;
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
