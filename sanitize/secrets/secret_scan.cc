#include "turnlog/redaction/secret_scan.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "base/count_lines.h"
#include "base/file_system.h"
#include "base/secret_string.h"
#include "base/try.h"
#include "sanitize/redaction/redaction_sources.h"
#include "sanitize/redaction/storage_search.h"
#include "sanitize/secrets/credential_files.h"
#include "sanitize/secrets/opaque_values.h"
#include "sanitize/secrets/scanned_files.h"
#include "sanitize/secrets/secret_detector.h"
#include "sanitize/secrets/secret_matcher.h"
#include "schema/json/json_pointers.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kBlockBytes = std::uint64_t{8} << 20;  // an eighth of it or less is read twice
constexpr std::string_view kKnownValueRule = "known-value";
constexpr std::uint64_t kMaxDocument = std::uint64_t{64} << 20;  // no JSON pointers in larger files

// A piece of a file, for one thread at a time. Pieces are read with their surroundings, so that a secret across a
// border is found in both pieces.
struct Block {
  std::size_t file;
  std::uint64_t begin, end;

  struct Location {
    std::uint64_t begin, end;
    std::int64_t line;  // from the beginning of the block; negative if it begins before it
    std::size_t rule;
    std::string why;
  };
  std::vector<Location> locations;
  std::int64_t lines = 0;
  std::string problem;
};

std::int64_t LinesIn(std::string_view text) { return static_cast<std::int64_t>(CountLines(text)); }

// What is looked for: by rules, or given values.
class Finder {
 public:
  struct Found {
    TextSpan span;
    std::size_t rule = 0;
    std::string why;
  };

  static Result<Finder> Make(const SecretScanOptions& options) {
    Finder finder;
    if (options.values.empty()) {
      SecretRules rules = TURNLOG_TRY(LoadSecretRules(options.rules));
      finder.detector_ = TURNLOG_TRY(SecretDetector::Make(std::move(rules)));
      finder.around_ = 2 * finder.detector_->reach();
      return finder;
    }
    std::size_t longest = 0;
    std::vector<SecretString> values;
    for (std::size_t i = 0; i < options.values.size(); ++i) {
      const std::string_view value = TrimValue(options.values[i]);
      longest = std::max(longest, value.size());
      values.emplace_back(value);
      if (const auto reason = WhyNotSearchable(value)) finder.unsearched_.push_back({i, std::string(*reason)});
    }
    finder.matcher_.emplace(values);
    finder.around_ = StorageSearch::Overlap(longest);
    return finder;
  }

  std::vector<Found> Find(std::string_view text) const {
    std::vector<Found> found;
    if (matcher_) {
      for (const TextSpan& span : matcher_->Find(text))
        found.push_back({span, 0, "it is one of the values searched for"});
      return found;
    }
    for (const FoundSecret& secret : detector_->Find(text)) {
      if (!OpaqueAround(text, secret.span)) found.push_back({secret.span, secret.rule, detector_->Explain(secret)});
    }
    return found;
  }

  std::string RuleName(std::size_t rule) const {
    return matcher_ ? std::string(kKnownValueRule) : detector_->rule(rule).id;
  }
  // Of the options that it was made with.
  const std::vector<UnscannedValue>& unsearched() const { return unsearched_; }
  // How much text around a piece is needed.
  std::uint64_t around() const { return around_; }

 private:
  std::unique_ptr<SecretDetector> detector_;
  std::optional<SecretMatcher> matcher_;
  std::vector<UnscannedValue> unsearched_;
  std::uint64_t around_ = 0;
};

class Scan {
 public:
  Scan(const Finder& finder, std::vector<ScannedFile> files, const SecretScanOptions& options)
      : finder_(finder), files_(std::move(files)), options_(options), around_(finder.around()) {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      for (std::uint64_t at = 0; at < files_[i].size; at += kBlockBytes)
        blocks_.push_back({i, at, std::min(files_[i].size, at + kBlockBytes)});
      bytes_ += files_[i].size;
    }
  }

  void Run() {
    const unsigned wanted = options_.jobs > 0 ? options_.jobs : std::max(1U, std::thread::hardware_concurrency());
    const auto jobs = static_cast<unsigned>(std::clamp<std::size_t>(blocks_.size(), 1, wanted));
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < jobs; ++i) others.emplace_back([this] { Work({}); });
    Work(options_.progress);
  }

  void Report(SecretScanReport& report) {
    for (auto block = blocks_.begin(); block != blocks_.end();) {
      const std::size_t file = block->file;
      const auto end = std::find_if(block, blocks_.end(), [&](const Block& other) { return other.file != file; });
      ReportFile(std::span(block, end), report);
      block = end;
    }
    const auto empty = std::ranges::count(files_, std::uint64_t{0}, &ScannedFile::size);
    report.files += static_cast<std::uint64_t>(empty);
  }

 private:
  void Work(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    SecretString buffer;
    for (std::size_t i = next_++; i < blocks_.size(); i = next_++) {
      Block& block = blocks_[i];
      if (const Status read = ScanBlock(block, buffer); !read) block.problem = read.error().message;
      const std::uint64_t done = done_ += block.end - block.begin;
      if (progress) progress(done, bytes_);
    }
  }

  Status ScanBlock(Block& block, SecretString& buffer) const {
    const std::uint64_t begin = block.begin - std::min(block.begin, around_);
    const std::string_view text = TURNLOG_TRY(Read(block.file, begin, block.end + around_, buffer));
    const auto at = [&](std::uint64_t offset) { return std::min<std::size_t>(offset - begin, text.size()); };
    const auto own = text.substr(at(block.begin), at(block.end) - at(block.begin));
    block.lines = LinesIn(own);
    std::size_t counted = at(block.begin);  // `line` is the line of this offset
    std::int64_t line = 0;
    for (const Finder::Found& found : finder_.Find(text)) {
      const TextSpan span = found.span;
      if (begin + span.end <= block.begin || begin + span.begin >= block.end) continue;
      line += span.begin >= counted ? LinesIn(text.substr(counted, span.begin - counted))
                                    : -LinesIn(text.substr(span.begin, counted - span.begin));
      counted = span.begin;
      block.locations.push_back({begin + span.begin, begin + span.end, line, found.rule, found.why});
    }
    return {};
  }

  Result<std::string_view> Read(std::size_t file, std::uint64_t begin, std::uint64_t end, SecretString& buffer) const {
    const auto opened = TURNLOG_TRY(OpenInput(files_[file].path));
    const std::span<char> room = buffer.Resize(std::min(end, files_[file].size) - begin);
    return std::string_view(room.data(), TURNLOG_TRY(opened->ReadAt(begin, room)));
  }

  void ReportFile(std::span<const Block> blocks, SecretScanReport& report) const {
    const std::size_t file = blocks.front().file;
    const std::string path = files_[file].path.string();
    const auto failed = std::ranges::find_if(blocks, [](const Block& block) { return !block.problem.empty(); });
    if (failed != blocks.end()) {
      report.problems.push_back({path, failed->problem});
    } else {
      ++report.files;
      report.bytes += files_[file].size;
    }
    std::vector<SecretLocation> locations = Locations(blocks, path);
    AddPointers(file, locations);
    std::ranges::move(locations, std::back_inserter(report.secrets));
  }

  // Merges secrets found in both pieces at a border.
  std::vector<SecretLocation> Locations(std::span<const Block> blocks, const std::string& path) const {
    std::vector<SecretLocation> locations;
    std::int64_t lines = 1;
    for (const Block& block : blocks) {
      for (const Block::Location& location : block.locations) {
        if (!locations.empty() && location.begin < locations.back().offset + locations.back().length) {
          SecretLocation& last = locations.back();
          last.length = std::max(last.offset + last.length, location.end) - last.offset;
        } else {
          locations.push_back({path, static_cast<std::uint64_t>(lines + location.line), location.begin,
                               location.end - location.begin, finder_.RuleName(location.rule), location.why,
                               std::nullopt});
        }
      }
      lines += block.lines;
    }
    return locations;
  }

  void AddPointers(std::size_t file, std::span<SecretLocation> locations) const {
    if (locations.empty() || files_[file].size > kMaxDocument) return;
    SecretString buffer;
    const auto text = Read(file, 0, files_[file].size, buffer);
    if (!text || AddPointersOf(*text, 0, locations)) return;
    for (std::size_t i = 0; i < locations.size();) {
      const std::size_t offset = std::min<std::size_t>(locations[i].offset, text->size());
      const std::size_t begin = text->substr(0, offset).rfind('\n') + 1;
      const std::size_t end = std::min(text->find('\n', offset), text->size());
      std::size_t next = i + 1;
      while (next < locations.size() && locations[next].offset < end) ++next;
      AddPointersOf(text->substr(begin, end - begin), begin, locations.subspan(i, next - i));
      i = next;
    }
  }

  // False if it is not JSON.
  bool AddPointersOf(std::string_view json, std::size_t begin, std::span<SecretLocation> locations) const {
    std::vector<std::size_t> offsets;
    for (const SecretLocation& location : locations) offsets.push_back(location.offset - begin);
    auto pointers = JsonPointers(json, offsets);
    if (!pointers) return false;
    std::vector<SecretString> found;
    for (const SecretLocation& location : locations) {
      found.emplace_back(json.substr(location.offset - begin, location.length));
    }
    const SecretMatcher same(found);
    for (std::size_t i = 0; i < locations.size(); ++i) {
      // Keys may be secrets, too, and without what is around them no rule may find them.
      const std::string keys = UndoPointerEscapes((*pointers)[i]);
      if (finder_.Find(keys).empty() && same.Find(keys).empty()) locations[i].pointer = std::move((*pointers)[i]);
    }
    return true;
  }

  const Finder& finder_;
  const std::vector<ScannedFile> files_;
  const SecretScanOptions& options_;
  const std::uint64_t around_;
  std::uint64_t bytes_ = 0;
  std::vector<Block> blocks_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
};

}  // namespace

Result<SecretScanReport> ScanForSecrets(std::span<const std::filesystem::path> paths,
                                        const SecretScanOptions& options) {
  const Finder finder = TURNLOG_TRY(Finder::Make(options));
  SecretScanReport report;
  report.unsearched = finder.unsearched();
  Scan scan(finder, ListFiles(paths, report.problems), options);
  scan.Run();
  scan.Report(report);
  return report;
}

Status ForEachKnownCredential(const std::filesystem::path& home,
                              const std::function<void(std::string_view value)>& on_value) {
  const std::vector<SecretString> credentials = TURNLOG_TRY(KnownCredentials(home));
  for (const SecretString& value : credentials) on_value(value.view());
  return {};
}

}  // namespace turnlog
