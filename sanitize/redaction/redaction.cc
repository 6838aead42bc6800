#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/file_system.h"
#include "base/try.h"
#include "sanitize/redaction/parallel_pass.h"
#include "sanitize/redaction/redaction_search.h"
#include "turnlog/redaction/redact.h"

namespace turnlog {
namespace {

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
    if (read_all) TURNLOG_TRY(FindSources());
    state_.first_hash = static_cast<ValueNumber>(state_.values.size());
    state_.plan.values = state_.values.size();
    TURNLOG_TRY(FindOccurrences());
    if (may_have_hashes_ && AddHashes()) TURNLOG_TRY(FindOccurrences());
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
    const auto find = [&](const ConversationId& id) { return state_.log.FindInquiryRaw(id, {inquiry.id, {}}); };
    const auto take = [&](const ConversationId& id, const std::vector<InquiryRecord>& records) -> Status {
      for (const InquiryRecord& record : records) {
        if (inquiry.turn && record.turn != *inquiry.turn) continue;
        ++asked;
        if (record.response) TURNLOG_TRY(AddAnswer(id, *record.response));
      }
      return {};
    };
    if (inquiry.conversation) {
      const auto records = TURNLOG_TRY(find(*inquiry.conversation));
      TURNLOG_TRY(take(*inquiry.conversation, records));
    } else {
      TURNLOG_TRY(Pass().Run(find, take));
    }
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

  Status FindSources() {
    ParallelPass pass = Pass();
    const RedactionSearch search(state_, targets_, [&](std::uint64_t bytes) { pass.Count(bytes); });
    return pass.Run([&](const ConversationId& id) { return search.Sources(id); },
                    [&](const ConversationId& id, SecretSources found) { return Add(id, std::move(found)); });
  }

  Status Add(const ConversationId& id, SecretSources found) {
    state_.plan.events_read += found.events_read;
    if (found.searched) state_.searched[id.text()] = *found.searched;
    std::ranges::move(found.unsearched, std::back_inserter(state_.plan.unsearched));
    AddDamage(std::move(found.damage));
    if (found.sources.empty()) return {};
    const SecretValues::Numbers numbers = state_.values.Add(found.values);
    for (auto& [seq, source] : found.sources) {
      RedactionSource renumbered{.answer = source.answer, .rules = {}, .values = {}};
      for (const RuleNumber rule : source.rules) renumbered.rules.insert(numbers.rules[rule]);
      for (const ValueNumber value : source.values) renumbered.values.insert(numbers.values[value]);
      source = std::move(renumbered);
    }
    AddSources(id, std::move(found.sources));
    return {};
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

  // Of all values and hashes that are known by now.
  Status FindOccurrences() {
    state_.finder.emplace(state_.values.all());
    state_.conversations.clear(), state_.spread.clear();
    state_.plan.conversations.clear(), state_.plan.kept.clear(), state_.plan.opaque.clear();
    state_.plan.conversations_read = 0;
    secrets_ = {};
    seen_in_.assign(state_.values.size(), kNowhere);
    if (state_.finder->empty() && state_.sources.empty()) return {};
    ParallelPass pass = Pass();
    const RedactionSearch search(state_, targets_, [&](std::uint64_t bytes) { pass.Count(bytes); });
    return pass.Run([&](const ConversationId& id) { return search.Occurrences(id); },
                    [&](const ConversationId&, SecretOccurrences found) { return Add(std::move(found)); });
  }

  Status Add(SecretOccurrences found) {
    ++state_.plan.conversations_read;
    may_have_hashes_ = may_have_hashes_ || found.may_have_hashes;
    hashes_.merge(found.hashes);
    secrets_.Add(std::move(found.secrets));
    std::ranges::move(found.kept, std::back_inserter(state_.plan.kept));
    std::ranges::move(found.opaque, std::back_inserter(state_.plan.opaque));
    AddDamage(std::move(found.damage));
    if (!found.planned.events.empty()) Keep(std::move(found.planned));
    return {};
  }

  void Keep(PlannedConversation planned) {
    RedactedConversation shown{state_.Shown(planned.id.text()), {}, {}};
    for (const PlannedEvent& event : planned.events) {
      for (const ValueNumber value : event.found) NoteConversation(value);
      const auto rules = state_.RulesOf(event, RedactionState::Extent::kAll);
      shown.events.push_back({event.seq, state_.values.RuleNames(rules)});
    }
    state_.plan.conversations.push_back(std::move(shown));
    state_.conversations.push_back(std::move(planned));
  }

  void NoteConversation(ValueNumber value) {
    const std::size_t here = state_.conversations.size();
    if (seen_in_[value] != kNowhere && seen_in_[value] != here) state_.spread.insert(value);
    seen_in_[value] = here;
  }

  // All passes find the same damage: keep it once.
  void AddDamage(std::vector<Damage> found) {
    for (Damage& damage : found) {
      const auto same = [&](const Damage& known) {
        return known.file == damage.file && known.offset == damage.offset && known.seq == damage.seq &&
               known.conversation == damage.conversation;
      };
      if (std::ranges::none_of(state_.plan.damage, same)) state_.plan.damage.push_back(std::move(damage));
    }
  }

  // False if there are none.
  bool AddHashes() {
    const RuleNumber rule = state_.values.Rule(kArgumentsHashRule);
    for (const std::string& hash : hashes_) state_.values.Add(hash, rule, "the hash of arguments with a secret");
    return !hashes_.empty();
  }

  ParallelPass Pass() {
    return {state_.log, targets_.jobs, [this](std::uint64_t bytes) {
              done_ += bytes;
              if (progress_) progress_(std::min(done_, total_), total_);
            }};
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

std::vector<AcceptedFinding> Redaction::Findings() const {
  std::vector<AcceptedFinding> findings;
  for (std::size_t i = 0; i < state_->conversations.size(); ++i) {  // as the plan shows them
    for (const RedactedEvent& event : state_->plan.conversations[i].events) {
      for (const std::string& rule : event.rules)
        findings.push_back({rule, state_->conversations[i].id.text(), event.seq});
    }
  }
  for (const auto& [conversation, sources] : state_->sources) {
    const auto name = sources.find(Seq{0});
    if (name == sources.end()) continue;
    for (const std::string& rule : state_->values.RuleNames(name->second.rules))
      findings.push_back({rule, conversation, Seq{0}});
  }
  return findings;
}

}  // namespace turnlog
