// Searches everything that the engine has stored, independently of the code that wrote it.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/try.h"
#include "sanitize/redaction/redaction_state.h"
#include "sanitize/redaction/storage_search.h"
#include "sanitize/repair/guarded_append.h"

namespace turnlog {
namespace {

constexpr std::size_t kListed = 1000;

class Prover {
 public:
  Prover(RedactionState& state, const Progress& progress) : state_(state), progress_(progress) {}

  Result<RedactionProof> Run() {
    TURNLOG_TRY(state_.log.Checkpoint());
    proof_.time = Now();
    proof_.store_id = TURNLOG_TRY(state_.log.Stats()).store_id;
    proof_.values = state_.plan.values;
    proof_.unsearched = state_.plan.unsearched.size();
    proof_.conversations = state_.done;
    NameRules();
    for (const ValueLocation& location : state_.plan.kept) AddLeft(location);
    for (const Damage& damage : state_.plan.damage) proof_.problems.push_back(ToString(damage));
    TURNLOG_TRY(LookAtSources());
    if (!state_.finder->empty()) TURNLOG_TRY(SearchStorage());
    if (proof_.clean()) TURNLOG_TRY(SaveWatermarks());
    return std::move(proof_);
  }

 private:
  void NameRules() {
    std::set<RuleNumber> rules;
    for (ValueNumber value = 0; value < state_.values.size(); ++value) rules.insert(state_.values.RuleOf(value));
    for (const auto& [name, sources] : state_.sources) {
      for (const auto& [seq, source] : sources) rules.insert(source.rules.begin(), source.rules.end());
    }
    proof_.rules = state_.values.RuleNames(rules);
  }

  // Checks the source events again: their values may not be searched elsewhere.
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
    ++proof_.sources;
    const PlannedEvent planned{
        .seq = seq, .source = source, .found = {}, .accepted = state_.AcceptedRules(id.text(), seq)};
    const auto again = TURNLOG_TRY(state_.Rewrite(planned, *record, RedactionState::Extent::kAll));
    if (again.changed)
      AddLeft({.conversation = state_.Shown(id.text()), .seq = seq, .field = source.answer ? "answer" : ""});
    return {};
  }

  // Values that no read returns may be gone after another checkpoint, see StorageVisitor.
  Status SearchStorage() {
    const RedactionProof before = proof_;
    if (!TURNLOG_TRY(SearchOnce())) return {};
    TURNLOG_TRY(state_.log.Checkpoint());
    proof_ = before;
    (void)TURNLOG_TRY(SearchOnce());
    return {};
  }

  // True: it has found values, all of them outside of entries.
  Result<bool> SearchOnce() {
    StorageSearch search(
        *state_.finder, [this](const StorageFind& find) { LeftIn(find); },
        [this](std::string_view object, std::string_view reason) { Problem(object, reason); });
    TURNLOG_TRY(state_.log.VisitStorage(
        {.overlap = StorageSearch::Overlap(state_.values.longest()), .progress = progress_}, search));
    proof_.files = search.objects();
    proof_.bytes = search.bytes();
    proof_.index_entries = search.entries();
    proof_.compressed_records = search.records();
    return search.FoundOutsideOfEntries();
  }

  Status SaveWatermarks() {
    for (const auto& [name, watermark] : state_.searched) {
      const ConversationId id = TURNLOG_TRY(ConversationId::Parse(name));
      TURNLOG_TRY(SaveSearchWatermark(state_.log, id, state_.search, watermark));
    }
    return {};
  }

  void LeftIn(const StorageFind& find) {
    ValueLocation location{.file = state_.Shown(find.object)};
    if (find.offset) location.offset = *find.offset;
    if (find.entry) location.field = fmt::format("entry {}", *find.entry);
    if (!find.offset && !find.entry) location.field = "file name";
    AddLeft(std::move(location));
  }

  void AddLeft(ValueLocation location) {
    ++proof_.left_count;
    if (proof_.left.size() < kListed) proof_.left.push_back(std::move(location));
  }

  void Problem(std::string_view file, std::string_view reason) {
    proof_.problems.push_back(state_.Shown(fmt::format("{}: {}", file, reason)));
  }

  RedactionState& state_;
  const Progress& progress_;
  RedactionProof proof_;
};

}  // namespace

Result<RedactionProof> Redaction::Prove(const Progress& progress) {
  auto proof = Prover(*state_, progress).Run();
  if (!proof) return std::unexpected(state_->Shown(std::move(proof).error()));
  return proof;
}

}  // namespace turnlog
