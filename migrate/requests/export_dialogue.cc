#include "migrate/requests/export_dialogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "migrate/records/foreign_event.h"
#include "migrate/requests/call_names.h"
#include "schema/event/compaction_range.h"
#include "schema/json/json_fields.h"
#include "turnlog/event_walk.h"
#include "turnlog/migrate/dialogue_parts.h"

namespace turnlog {
namespace {

constexpr const char* kGoOn = "Continue.";

// The turns that a summary replaces for the model.
struct Compaction {
  CompactionRange range;
  std::string summary;
};

std::optional<Compaction> ReadCompaction(const EventView& event) {
  const auto* verbatim = std::get_if<VerbatimView>(&event.body);
  if (verbatim == nullptr || verbatim->kind != EventKind::kCompaction) return std::nullopt;
  const auto range = ReadCompactionRange(verbatim->json.text());
  const auto summary = FindJsonField(verbatim->json.text(), "summary");
  auto text = summary ? FindJsonString(summary->value, "summary") : std::nullopt;
  if (!range || !text || text->empty()) return std::nullopt;
  return Compaction{*range, *std::move(text)};
}

// Whether the event comes after the part; what a repair has inserted follows what it is about.
bool IsAfter(const Record& record, const ConversationPart& part) { return record.seq > part.last; }

Result<std::vector<Compaction>> FindCompactions(Log& log, const ConversationPart& part) {
  std::vector<Compaction> found;
  const auto cursor = TURNLOG_TRY(log.Read(part.conversation));
  TURNLOG_TRY(WalkEvents(*cursor, [&](const Record& record, const EventView& event) {
    if (IsAfter(record, part)) return Result<Walk>(Walk::kEnd);
    if (auto compaction = ReadCompaction(event)) found.push_back(*std::move(compaction));
    return Result<Walk>(Walk::kOn);
  }));
  return found;
}

struct CompactedPart {
  ConversationPart part;
  std::vector<Compaction> compactions;
};

// Without what comes before a summary of all that was said.
Result<std::vector<CompactedPart>> FindParts(Log& log, const ConversationId& conversation, bool full) {
  std::vector<CompactedPart> parts;
  for (ConversationPart& part : TURNLOG_TRY(FindDialogueParts(log, conversation))) {
    std::vector<Compaction> compactions = TURNLOG_TRY(FindCompactions(log, part));
    const bool replaces_all =
        !full && std::ranges::any_of(compactions, [](const Compaction& each) { return each.range.from == 0; });
    if (replaces_all) parts.clear();
    parts.push_back({std::move(part), std::move(compactions)});
  }
  return parts;
}

// The model that a record of Codex names for what follows it.
std::optional<std::string> ModelNamedBy(const EventView& event) {
  const auto record = ReadForeign(event);
  if (!record || FindJsonString(*record, "type") != "turn_context") return std::nullopt;
  const auto payload = FindJsonField(*record, "payload");
  return payload ? FindJsonString(payload->value, "model") : std::nullopt;
}

class DialogueExport {
 public:
  DialogueExport(std::unique_ptr<StepWriter> writer, const ExportSink& sink, const ExportOptions& options)
      : writer_(std::move(writer)), sink_(sink), options_(options) {}

  Status Begin() { return sink_(writer_->Begin(options_.model)); }

  // Further parts continue the one before.
  Status BeginPart(std::vector<Compaction> compactions) {
    TURNLOG_TRY(EndTurn());
    copied_turns_ += std::exchange(turns_, 0);
    compactions_ = std::move(compactions);
    last_compaction_ = nullptr;
    return {};
  }

  Status Add(const EventView& event, const Record& record) {
    if (event.kind() == EventKind::kTurnStart) {
      TURNLOG_TRY(EndTurn());
      ++turns_;
    }
    if (auto model = ModelNamedBy(event)) model_ = *std::move(model);
    fold_.Add(event, {model_, record.redacted, record.inserted});
    return {};
  }

  Status End() {
    TURNLOG_TRY(EndTurn());
    if (!options_.prompt.empty() || (writer_->EndsWithUser() && !ends_with_user_)) {
      writer_->Request({options_.prompt.empty() ? kGoOn : options_.prompt, {}});
      said_anything_ = true;
    }
    return sink_(writer_->Take() + writer_->End(names_.tools()));
  }

  // A request always has something.
  bool said_anything() const { return said_anything_; }

  void Report(const std::string& conversation, ExportReport& report) const {
    const auto add = [&](std::string_view what, std::uint64_t count) {
      if (count > 0) report.changes.push_back({conversation, std::string(what), count});
    };
    add("result-left-out", stray_results_);
    add("call-closed", closed_calls_);
    add("reasoning-left-out", reasoning_);
    add("call-id-changed", names_.changed_ids());
    add("tool-name-changed", names_.changed_names());
    add("request-added", requests_added_);
    add("turn-compacted", compacted_turns_);
    add("copied-turn-added", copied_turns_);
  }

 private:
  Status EndTurn() {
    TurnDialogue turn = fold_.Take();
    if (const Compaction* compaction = CompactionOfTurn(); compaction != nullptr) {
      ++compacted_turns_;
      if (std::exchange(last_compaction_, compaction) != compaction) {
        writer_->Request({compaction->summary, {}});
        ends_with_user_ = said_anything_ = true;
      }
      return sink_(writer_->Take());
    }
    stray_results_ += turn.stray_results;
    closed_calls_ += turn.closed_calls;
    bool first = true;
    for (DialogueStep& step : turn.steps) Write(step, std::exchange(first, false));
    return sink_(writer_->Take());
  }

  // The last one counts.
  const Compaction* CompactionOfTurn() const {
    if (options_.full || turns_ == 0) return nullptr;
    const std::uint64_t index = turns_ - 1;
    const auto found = std::ranges::find_if(compactions_.rbegin(), compactions_.rend(), [&](const Compaction& each) {
      return each.range.from <= index && index <= each.range.to;
    });
    return found == compactions_.rend() ? nullptr : &*found;
  }

  // A model speaks when it was asked or has results: not at the beginning of a turn.
  void Write(DialogueStep& step, bool first_of_turn) {
    SelectReasoning(step);
    if (!step.requests.empty() || !step.parts.empty()) said_anything_ = true;
    for (const UserText& text : step.requests) writer_->Request(text);
    if (!step.requests.empty()) ends_with_user_ = true;
    if (step.parts.empty()) return;
    if (first_of_turn && step.requests.empty()) {
      writer_->Request({kGoOn, step.parts.front().time});
      ++requests_added_;
    }
    for (ModelPart& part : step.parts) {
      if (part.kind != ModelPart::Kind::kCall) continue;
      part.id = names_.IdFor(part.id);
      part.name = names_.NameFor(part.name);
    }
    writer_->Model(step);
    if (!step.results.empty()) writer_->Results(step);
    ends_with_user_ = !step.results.empty();
  }

  // Reasoning alone is no message.
  void SelectReasoning(DialogueStep& step) {
    const auto left_out = [&](const ModelPart& part) {
      return part.kind == ModelPart::Kind::kReasoning && !MayTravel(part);
    };
    reasoning_ += std::erase_if(step.parts, left_out);
    if (std::ranges::all_of(step.parts,
                            [](const ModelPart& part) { return part.kind == ModelPart::Kind::kReasoning; })) {
      reasoning_ += step.parts.size();
      step.parts.clear();
    }
  }

  bool MayTravel(const ModelPart& part) const {
    return options_.same_account && !options_.model.empty() && part.sealed && part.sealed->model == options_.model &&
           writer_->Opens(part, options_.model);
  }

  const std::unique_ptr<StepWriter> writer_;
  const ExportSink& sink_;
  const ExportOptions& options_;
  std::vector<Compaction> compactions_;  // of the part
  const Compaction* last_compaction_ = nullptr;
  DialogueFold fold_;
  CallNames names_;
  std::string model_;
  bool ends_with_user_ = false, said_anything_ = false;
  std::uint64_t turns_ = 0, stray_results_ = 0, closed_calls_ = 0, reasoning_ = 0, requests_added_ = 0,
                compacted_turns_ = 0, copied_turns_ = 0;
};

}  // namespace

Status ExportDialogue(Log& log, std::unique_ptr<StepWriter> writer, const ConversationId& conversation,
                      const ExportSink& sink, const ExportOptions& options, ExportReport& report) {
  DialogueExport dialogue(std::move(writer), sink, options);
  TURNLOG_TRY(dialogue.Begin());
  for (CompactedPart& each : TURNLOG_TRY(FindParts(log, conversation, options.full))) {
    TURNLOG_TRY(dialogue.BeginPart(std::move(each.compactions)));
    const auto cursor = TURNLOG_TRY(log.Read(each.part.conversation));
    const EventVisitor visit = [&](const Record& record, const EventView& event) -> Result<Walk> {
      if (IsAfter(record, each.part)) return Walk::kEnd;
      TURNLOG_TRY(dialogue.Add(event, record));
      return Walk::kOn;
    };
    TURNLOG_TRY(WalkEvents(*cursor, visit));
  }
  TURNLOG_TRY(dialogue.End());
  if (!dialogue.said_anything()) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument, fmt::format("{}: nothing was said in it", conversation.text())});
  }
  dialogue.Report(conversation.text(), report);
  return {};
}

}  // namespace turnlog
