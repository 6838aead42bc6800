#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/file_system.h"
#include "base/try.h"
#include "sanitize/redaction/arguments_hashes.h"
#include "sanitize/redaction/found_secrets.h"
#include "sanitize/redaction/redaction_state.h"
#include "turnlog/redaction/redact.h"

namespace turnlog {
namespace {

constexpr std::size_t kPage = 256;
constexpr std::string_view kNameField = "conversation";

std::unexpected<Error> NoSuchInquiry(std::string_view id) {
  return std::unexpected(Error{ErrorCode::kNotFound, fmt::format("no inquiry \"{}\" found", id)});
}

}  // namespace

std::uint64_t RedactionPlan::events() const {
  std::uint64_t count = 0;
  for (const RedactedConversation& conversation : conversations) count += conversation.events.size();
  return count;
}

bool RedactionPlan::complete() const {
  const auto is_given = [](const UnsearchedValue& value) { return value.conversation.empty(); };
  return kept.empty() && damage.empty() && std::ranges::none_of(unsearched, is_given);
}

// Finds the values first, and then all their occurrences: a value of the last conversation may occur in the first.
class RedactionPlanner {
 public:
  RedactionPlanner(RedactionState& state, const RedactionTargets& targets, const Progress& progress)
      : state_(state), targets_(targets), progress_(progress) {}

  Status Run() {
    if (targets_.detect) {
      if (!targets_.rules.empty() && !targets_.rules_text) targets_.rules_text = TURNLOG_TRY(ReadInput(targets_.rules));
      SecretRules rules = TURNLOG_TRY(Rules());
      state_.detector = TURNLOG_TRY(SecretDetector::Make(std::move(rules)));
    }
    const bool read_all = targets_.secrets || targets_.detect;
    state_.accepted = targets_.accepted;
    std::ranges::sort(state_.accepted);
    if (read_all) state_.search = SearchFingerprint(targets_);
    total_ = TURNLOG_TRY(state_.log.Stats()).payload_bytes * (read_all ? 2 : 1);
    AddValues();
    for (const InquiryToRedact& inquiry : targets_.inquiries) TURNLOG_TRY(FindAnswers(inquiry));
    if (read_all) TURNLOG_TRY(ForEachConversation([&](const ConversationId& id) { return FindSources(id); }));
    state_.first_hash = static_cast<ValueNumber>(state_.values.size());
    state_.plan.values = state_.values.size();
    TURNLOG_TRY(FindLocations());
    if (may_have_hashes_ && AddHashes()) TURNLOG_TRY(FindLocations());
    state_.plan.secrets = std::move(secrets_).Take(state_);
    for (UnsearchedValue& value : state_.plan.unsearched) value.conversation = state_.Shown(value.conversation);
    for (Damage& damage : state_.plan.damage) damage.conversation = state_.Shown(damage.conversation);
    return {};
  }

 private:
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  Result<SecretRules> Rules() const {
    if (!targets_.rules_text) return BuiltInSecretRules();
    return ParseSecretRules(*targets_.rules_text, targets_.rules.string(), BuiltInSecretRules());
  }

  // Called with each record of a conversation, in order.
  using OnRecord = std::function<Status(const Record&)>;
  using OnConversation = std::function<Status(const ConversationId&)>;

  Status ForEachConversation(const OnConversation& on_conversation) {
    for (std::string after;;) {
      const auto page = TURNLOG_TRY(state_.log.List(after, kPage));
      if (page.empty()) return {};
      for (const ConversationInfo& info : page) {
        const ConversationId id = TURNLOG_TRY(ConversationId::Parse(info.id));
        TURNLOG_TRY(on_conversation(id));
      }
      after = page.back().id;
    }
  }

  // Returns the last seq read.
  Result<Seq> ForEachRecord(const ConversationId& id, Seq from, const OnRecord& on_record) {
    Seq last;
    const auto cursor = TURNLOG_TRY(state_.log.ReadRaw(id, {.from = from}));
    for (;;) {
      const Item item = TURNLOG_TRY(cursor->Next());
      if (std::holds_alternative<EndOfLog>(item)) return last;
      if (const auto* damage = std::get_if<Damage>(&item)) AddDamage(*damage);
      if (const auto* erased = std::get_if<Erased>(&item)) last = erased->seq;
      const auto* record = std::get_if<Record>(&item);
      if (record == nullptr) continue;
      last = record->seq;
      TURNLOG_TRY(on_record(*record));
      done_ += record->payload.size();
      if (progress_) progress_(std::min(done_, total_), total_);
    }
  }

  // Both passes find the same damage: keep it once.
  void AddDamage(const Damage& damage) {
    const auto same = [&](const Damage& known) {
      return known.file == damage.file && known.offset == damage.offset && known.seq == damage.seq &&
             known.conversation == damage.conversation;
    };
    if (std::ranges::none_of(state_.plan.damage, same)) state_.plan.damage.push_back(damage);
  }

  void AddValues() {
    const RuleNumber rule = state_.values.Rule(kGivenValueRule);
    for (std::size_t i = 0; i < targets_.values.size(); ++i) {
      const std::string_view value = TrimValue(targets_.values[i]);
      if (const auto reason = WhyNotSearchable(value)) {
        state_.plan.unsearched.push_back(
            {.index = i, .rule = std::string(kGivenValueRule), .reason = std::string(*reason)});
      } else {
        state_.values.Add(value, rule, "one of the given values");
      }
    }
  }

  Status FindAnswers(const InquiryToRedact& inquiry) {
    std::size_t asked = 0;
    const auto look = [&](const ConversationId& id) -> Status {
      for (const InquiryRecord& record : TURNLOG_TRY(state_.log.FindInquiryRaw(id, {inquiry.id, {}}))) {
        if (inquiry.turn && record.turn != *inquiry.turn) continue;
        ++asked;
        if (record.response) TURNLOG_TRY(AddAnswer(id, *record.response));
      }
      return {};
    };
    TURNLOG_TRY(inquiry.conversation ? look(*inquiry.conversation) : ForEachConversation(look));
    return asked > 0 ? Status() : NoSuchInquiry(inquiry.id);
  }

  Status AddAnswer(const ConversationId& id, Seq seq) {
    const auto cursor = TURNLOG_TRY(state_.log.ReadRaw(id, {.from = seq, .limit = 1}));
    const Item item = TURNLOG_TRY(cursor->Next());
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) return {};
    SourceFinder finder(id.text(), {}, state_.values, state_.plan.unsearched);
    if (finder.AddAnswer(seq, TURNLOG_TRY(record->Decode()), kInquiryAnswerRule)) AddSources(id, finder.Take());
    return {};
  }

  Status FindSources(const ConversationId& id) {
    SearchWatermark searched;
    if (targets_.only_new) {
      const auto known = TURNLOG_TRY(FindSearchWatermark(state_.log, id, state_.search));
      if (known && TURNLOG_TRY(state_.log.Info(id)).last <= known->head) return {};
      searched = known.value_or(searched);
    }
    // An answer of the last turn may belong to a question that is new, and the other way round.
    const Seq from{targets_.secrets ? std::max<std::uint64_t>(searched.turn.value, 1) : searched.head.value + 1};
    SourceFinder finder(id.text(), {targets_.secrets, state_.detector.get(), &state_.accepted}, state_.values,
                        state_.plan.unsearched);
    const auto on_record = [&](const Record& record) -> Status {
      if (record.kind == EventKind::kTurnStart) searched.turn = record.seq;
      ++state_.plan.events_read;
      const EventView event = TURNLOG_TRY(record.Decode());
      finder.Add(record.seq, event);
      return {};
    };
    searched.head = std::max(searched.head, TURNLOG_TRY(ForEachRecord(id, from, on_record)));
    state_.searched[id.text()] = searched;
    AddSources(id, finder.Take());
    return {};
  }

  // Of all values and hashes that are known by now.
  Status FindLocations() {
    state_.finder.emplace(state_.values.all());
    state_.conversations.clear(), state_.spread.clear();
    state_.plan.conversations.clear(), state_.plan.kept.clear(), state_.plan.opaque.clear();
    state_.plan.conversations_read = 0;
    secrets_ = {};
    seen_in_.assign(state_.values.size(), kNowhere);
    if (state_.finder->empty() && state_.sources.empty()) return {};
    return ForEachConversation([&](const ConversationId& id) { return FindLocations(id); });
  }

  // False if there are none.
  bool AddHashes() {
    const RuleNumber rule = state_.values.Rule(kArgumentsHashRule);
    for (const std::string& hash : hashes_) state_.values.Add(hash, rule, "the hash of arguments with a secret");
    return !hashes_.empty();
  }

  void AddSources(const ConversationId& id, ConversationSources sources) {
    if (sources.empty()) return;
    ConversationSources& known = state_.sources[id.text()];
    for (auto& [seq, source] : sources) {
      RedactionSource& to = known[seq];
      to.answer = to.answer || source.answer;
      to.rules.merge(source.rules);
      to.values.merge(source.values);
    }
  }

  Status FindLocations(const ConversationId& id) {
    ++state_.plan.conversations_read;
    if (!state_.finder->Find(id.text()).empty()) {
      state_.plan.kept.push_back({.conversation = state_.Shown(id.text()), .field = std::string(kNameField)});
    }
    const auto known = state_.sources.find(id.text());
    const ConversationSources none;
    const ConversationSources& sources = known != state_.sources.end() ? known->second : none;
    PlannedConversation planned{id, {}, {}};
    std::vector<PlannedEvent> fingerprints;
    const auto on_record = [&](const Record& record) -> Status {
      may_have_hashes_ = may_have_hashes_ || MayHaveArgumentsHash(record);
      PlannedEvent event = state_.Look(record);
      if (const auto source = sources.find(record.seq); source != sources.end()) event.source = source->second;
      if (record.kind == EventKind::kUnknown) event.fingerprint = HasFingerprint(TURNLOG_TRY(record.Decode()));
      if (event.is_source() || !event.found.empty()) {
        if (TURNLOG_TRY(Changes(id, event, record))) return planned.events.push_back(std::move(event)), Status();
      }
      event.found.clear();
      if (event.fingerprint) fingerprints.push_back(std::move(event));
      return {};
    };
    planned.seen = TURNLOG_TRY(ForEachRecord(id, Seq{1}, on_record));
    if (!planned.events.empty()) Keep(std::move(planned), std::move(fingerprints));
    return {};
  }

  // Also records what cannot be changed.
  Result<bool> Changes(const ConversationId& id, const PlannedEvent& event, const Record& record) {
    // An event with a value only in an id is not changed; the fingerprint alone does not count.
    PlannedEvent without = event;
    without.fingerprint = false;
    const auto rewritten = TURNLOG_TRY(state_.Rewrite(without, record, RedactionState::Extent::kAll));
    for (const std::string& field : rewritten.kept) {
      state_.plan.kept.push_back({.conversation = state_.Shown(id.text()), .seq = event.seq, .field = field});
    }
    if (!rewritten.changed) return false;
    const EventView before = TURNLOG_TRY(record.Decode());
    std::ranges::move(HashesOfChanged(before, rewritten.event), std::inserter(hashes_, hashes_.end()));
    for (const ValueNumber value : event.found) {
      NoteConversation(value);
      if (value < state_.first_hash) secrets_.Add(value, id, record);
    }
    for (std::string& field : TURNLOG_TRY(state_.OpaqueFields(record))) {
      state_.plan.opaque.push_back(
          {.conversation = state_.Shown(id.text()), .seq = event.seq, .field = std::move(field)});
    }
    return true;
  }

  void NoteConversation(ValueNumber value) {
    const std::size_t here = state_.conversations.size();
    if (seen_in_[value] != kNowhere && seen_in_[value] != here) state_.spread.insert(value);
    seen_in_[value] = here;
  }

  void Keep(PlannedConversation planned, std::vector<PlannedEvent> fingerprints) {
    std::ranges::move(fingerprints, std::back_inserter(planned.events));
    std::ranges::sort(planned.events, {}, &PlannedEvent::seq);
    RedactedConversation shown{state_.Shown(planned.id.text()), {}, {}};
    for (const PlannedEvent& event : planned.events) {
      const auto rules = state_.RulesOf(event, RedactionState::Extent::kAll);
      shown.events.push_back({event.seq, state_.values.RuleNames(rules)});
    }
    state_.plan.conversations.push_back(std::move(shown));
    state_.conversations.push_back(std::move(planned));
  }

  RedactionState& state_;
  RedactionTargets targets_;  // with the text of the rules, once it is read
  const Progress& progress_;
  FoundSecrets secrets_;
  bool may_have_hashes_ = false;      // some event
  std::set<std::string> hashes_;      // of arguments that are to be changed
  std::vector<std::size_t> seen_in_;  // for each value, a conversation that contains it
  std::uint64_t done_ = 0, total_ = 0;
};

Redaction::Redaction(std::unique_ptr<RedactionState> state) : state_(std::move(state)) {}
Redaction::~Redaction() = default;

Result<std::unique_ptr<Redaction>> Redaction::Plan(Log& log, const RedactionTargets& targets,
                                                   const Progress& progress) {
  auto state = std::make_unique<RedactionState>(log);
  if (Status status = RedactionPlanner(*state, targets, progress).Run(); !status) {
    return std::unexpected(state->Shown(std::move(status).error()));
  }
  return std::unique_ptr<Redaction>(new Redaction(std::move(state)));
}

const RedactionPlan& Redaction::plan() const& { return state_->plan; }

}  // namespace turnlog
