// Reading everything that the store has on disk, once more and without trusting what wrote it.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/try.h"
#include "sanitize/file_search.h"
#include "sanitize/guarded_append.h"
#include "sanitize/redaction_state.h"
#include "sanitize/scanned_files.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kListed = 1000;
constexpr int kLooks = 5;  // for files that appear while others are read

class Prover {
 public:
  Prover(RedactionState& state, const fs::path& store, const Progress& progress)
      : state_(state), store_(store), progress_(progress) {}

  Result<RedactionReceipt> Run() {
    TURNLOG_TRY(state_.log.Checkpoint());
    receipt_.time = Now();
    receipt_.store_id = TURNLOG_TRY(state_.log.Stats()).store_id;
    receipt_.values = state_.plan.values;
    receipt_.unsearched = state_.plan.unsearched.size();
    receipt_.conversations = state_.done;
    NameRules();
    for (const ValuePlace& place : state_.plan.kept) Left(place);
    for (const Damage& damage : state_.plan.damage) receipt_.problems.push_back(ToString(damage));
    TURNLOG_TRY(LookAtSources());
    ReadFiles();
    TURNLOG_TRY(ReadIndex());
    return std::move(receipt_);
  }

 private:
  void NameRules() {
    std::set<RuleNumber> rules;
    for (ValueNumber value = 0; value < state_.values.size(); ++value) rules.insert(state_.values.RuleOf(value));
    for (const auto& [name, sources] : state_.sources) {
      for (const auto& [seq, source] : sources) rules.insert(source.rules.begin(), source.rules.end());
    }
    receipt_.rules = state_.values.RuleNames(rules);
  }

  // Values that are looked for nowhere else stood here.
  Status LookAtSources() {
    for (const auto& [name, sources] : state_.sources) {
      const ConversationId id = TURNLOG_TRY(ConversationId::Parse(name));
      for (const auto& [seq, source] : sources) TURNLOG_TRY(LookAtSource(id, seq, source));
    }
    return {};
  }

  Status LookAtSource(const ConversationId& id, Seq seq, const RedactionSource& source) {
    const auto cursor = TURNLOG_TRY(state_.log.ReadRaw(id, {.from = seq, .limit = 1}));
    const Item item = TURNLOG_TRY(cursor->Next());
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) return {};
    ++receipt_.places;
    const PlannedEvent planned{.seq = seq, .source = source, .found = {}};
    const auto again = TURNLOG_TRY(state_.Rewrite(planned, *record, RedactionState::Extent::kAll));
    if (again.changed)
      Left({.conversation = state_.Shown(id.text()), .seq = seq, .field = source.answer ? "answer" : ""});
    return {};
  }

  void ReadFiles() {
    std::set<fs::path> read;
    for (int look = 0; look < kLooks; ++look) {
      std::vector<SecretScanProblem> problems;
      std::vector<ScannedFile> files = ListFiles({&store_, 1}, problems);
      std::erase_if(files, [&](const ScannedFile& file) { return read.contains(file.path); });
      if (files.empty()) {
        for (const SecretScanProblem& problem : problems) Problem(problem.file, problem.reason);
        return;
      }
      for (const ScannedFile& file : files) total_ += file.size;
      for (const ScannedFile& file : files) {
        ReadFile(file.path);
        read.insert(file.path);
      }
    }
  }

  void ReadFile(const fs::path& path) {
    const std::string name = state_.Shown(path.lexically_relative(store_).string());
    if (name != path.lexically_relative(store_).string()) Left({.file = name, .field = "file name"});
    const std::uint64_t before = done_;
    const auto finds = SearchFile(path, *state_.finder, state_.values.longest(), [&](std::uint64_t bytes) {
      done_ = before + bytes;
      if (progress_) progress_(std::min(done_, total_), total_);
    });
    if (!finds) {
      std::error_code error;
      if (!fs::exists(path, error) && !error) return;  // the store has removed it meanwhile
      return Problem(name, finds.error().message);
    }
    ++receipt_.files;
    receipt_.bytes += finds->bytes;
    for (const std::uint64_t offset : finds->offsets) Left({.file = name, .offset = offset});
  }

  // Keys stand shortened in its files.
  Status ReadIndex() {
    return ForEachIndexEntry(store_, [&](std::string_view key, std::string_view value) {
      ++receipt_.index_entries;
      if (!state_.finder->Find(key).empty() || !state_.finder->Find(value).empty()) {
        Left({.file = "index", .field = fmt::format("entry {}", receipt_.index_entries)});
      }
    });
  }

  void Left(ValuePlace place) {
    ++receipt_.left_count;
    if (receipt_.left.size() < kListed) receipt_.left.push_back(std::move(place));
  }

  void Problem(std::string_view file, std::string_view reason) {
    receipt_.problems.push_back(state_.Shown(fmt::format("{}: {}", file, reason)));
  }

  RedactionState& state_;
  const fs::path& store_;
  const Progress& progress_;
  std::uint64_t done_ = 0, total_ = 0;
  RedactionReceipt receipt_;
};

}  // namespace

Result<RedactionReceipt> Redaction::Prove(const std::filesystem::path& store, const Progress& progress) {
  auto receipt = Prover(*state_, store, progress).Run();
  if (!receipt) return std::unexpected(state_->Shown(std::move(receipt).error()));
  return receipt;
}

}  // namespace turnlog
