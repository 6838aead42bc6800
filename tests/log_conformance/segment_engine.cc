#include "tests/log_conformance/segment_engine.h"

#include <array>
#include <random>

#include "tests/store/log_fixture.h"
#include "tests/support/copy_store.h"
#include "turnlog/maintenance.h"
#include "turnlog/segment_log.h"

namespace turnlog {
namespace {

constexpr std::array kCompressions{Compression::kSmall, Compression::kFast, Compression::kNone};

class SegmentStore : public EngineStore {
 public:
  explicit SegmentStore(std::uint64_t seed, bool compressed)
      : small_(seed != 0), compressed_(compressed), random_(seed) {}

  Result<std::unique_ptr<Log>> Open(OpenMode mode) override { return OpenQuietLog(path(), Options(mode)); }

  void Kill(std::unique_ptr<Log> writer) override {
    const std::filesystem::path copy = folder_ / "killed";
    CopyStore(path(), copy);
    writer.reset();
    std::filesystem::remove_all(path());
    std::filesystem::rename(copy, path());
  }

  void LoseDerived() override { std::filesystem::remove_all(path() / "index"); }

  std::string Check() override {
    const auto report = VerifyStore(path());
    if (!report) return report.error().message;
    if (!report->damage.empty()) return ToString(report->damage.front());
    return report->index_differences.empty() ? "" : report->index_differences.front();
  }

 private:
  std::filesystem::path path() const { return folder_ / "store"; }

  SegmentOptions Options(OpenMode mode) {
    SegmentOptions options{.mode = mode, .holder = "test", .segment_bytes = 16 << 10, .checkpoint_bytes = 1 << 20};
    options.compression = compressed_ ? kCompressions[opened_++ % kCompressions.size()] : Compression::kNone;
    if (!small_) return options;
    options.segment_bytes = (8 + random_() % 4 * 8) << 10;
    options.checkpoint_bytes = (8 + random_() % 12 * 8) << 10;
    return options;
  }

  const TempDir folder_;
  const bool small_, compressed_;
  std::size_t opened_ = 0;
  std::mt19937_64 random_;
};

}  // namespace

TestedEngine SegmentEngine() {
  return {"Segments", [](std::uint64_t seed) { return std::make_unique<SegmentStore>(seed, false); }};
}

TestedEngine CompressedSegmentEngine() {
  return {"CompressedSegments", [](std::uint64_t seed) { return std::make_unique<SegmentStore>(seed, true); }};
}

}  // namespace turnlog
