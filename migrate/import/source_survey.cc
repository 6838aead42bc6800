#include "migrate/import/source_survey.h"

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "base/try.h"
#include "turnlog/types.h"

namespace turnlog {

Status SourceSurvey::Read(SourceReader& reader, ImportReport& report, KeptItems& kept) {
  std::vector<ImportProblem>& problems = report.problems;
  for (;;) {
    Result<SourceItem> read = reader.Next();
    if (!read) return std::unexpected(std::move(read).error());
    SourceItem& item = *read;
    if (const auto* end = std::get_if<EndOfSource>(&item)) {
      end_bytes_ = end->size;
      source_size_ = end->source_size;
      break;
    }
    if (auto* event = std::get_if<SourceEvent>(&item)) {
      AddEvent(*event, problems);
    } else if (auto* part = std::get_if<SourcePart>(&item)) {
      AddPart(*part, problems);
    } else if (auto* note = std::get_if<SourceNote>(&item)) {
      NotesFor(*note, report).push_back(std::move(note->note));
    } else if (auto* point = std::get_if<SourceResumePoint>(&item)) {
      const Hash128 key = KeyOf(point->conversation);
      extras_[key].resume = std::move(*point);
    } else {
      AddFault(std::get<SourceFault>(std::move(item)), problems);
    }
    kept.Keep(item);
  }
  // A missing event is noticed where all are numbered.
  if (any_refused_) {
    conversations_.ForEach([](SurveyedConversation& each) { each.refused |= each.unnumbered || each.events == 0; });
  }
  return {};
}

void SourceSurvey::AddEvent(SourceEvent& event, std::vector<ImportProblem>& problems) {
  SurveyedConversation& conversation = Add(event.conversation, event.location, problems);
  ++conversation.events;
  conversation.unnumbered |= !event.seq;
  if (event.is_row) ++extras_[KeyOf(event.conversation)].rows;
  if (event.redacted) conversation.redacted = redacted_ = true;
  if (event.remarks != nullptr) std::ranges::move(event.remarks->answers, std::back_inserter(answers_));
  has_damage_ |= event.is_quarantined();
  if (event.is_quarantined()) return;
  const bool raw = event.event.kind == EventKind::kUnknown;
  (raw ? conversation.bytes.kept_raw : conversation.bytes.imported) += event.size;
}

void SourceSurvey::AddPart(SourcePart& part, std::vector<ImportProblem>& problems) {
  SurveyedConversation& conversation = Add(part.conversation, {}, problems);
  conversation.bytes.kept_raw += part.size;
  if (part.left_out) conversation.redacted = redacted_ = true;
  if (!part.left_out) extras_[KeyOf(part.conversation)].parts[std::move(part.name)] = std::move(part.bytes);
}

std::vector<ImportProblem>& SourceSurvey::NotesFor(const SourceNote& note, ImportReport& report) {
  switch (note.weight) {
    case SourceNote::Weight::kOnce:
      return extras_[KeyOf(note.conversation)].notes;
    case SourceNote::Weight::kAlways:
      return report.notes;
    case SourceNote::Weight::kProblem:
      break;
  }
  return report.problems;
}

SurveyedConversation& SourceSurvey::Add(std::string_view name, const SourceLocation& location,
                                        std::vector<ImportProblem>& problems) {
  const auto [key, conversation, added] = conversations_.TryEmplace(name);
  if (added) {
    only_ = std::exchange(any_, true) ? std::string() : std::string(name);
    const auto id = ConversationId::Parse(name);
    if (!id) {
      problems.push_back(At(location, {ImportProblemCode::kMalformed, id.error().message}));
      problems.back().conversation = Printable(name);
    }
    conversation.refused = !id;
  }
  return conversation;
}

void SourceSurvey::AddFault(SourceFault fault, std::vector<ImportProblem>& problems) {
  fault.problem.conversation = fault.conversation.value_or(std::string());
  problems.push_back(std::move(fault.problem));
  if (fault.conversation) {
    conversations_.TryEmplace(*fault.conversation).value.refused = true;
  } else {
    any_refused_ = true;
  }
}

SurveyedConversation* SourceSurvey::Find(Hash128 conversation) { return conversations_.Find(conversation); }

SourceSurvey::Extras SourceSurvey::FindExtras(Hash128 conversation) const {
  const auto found = extras_.find(conversation);
  return found == extras_.end() ? Extras() : found->second;
}

void SourceSurvey::MarkRedacted() {
  redacted_ = true;
  conversations_.ForEach([](SurveyedConversation& conversation) { conversation.redacted = true; });
}

void SourceSurvey::ForgetDeferred() {
  conversations_.ForEach([](SurveyedConversation& conversation) { conversation.deferred = false; });
}

SurveyedBytes SourceSurvey::bytes() const {
  SurveyedBytes sum{.kept_raw = any_refused_ ? 0 : end_bytes_};
  conversations_.ForEach([&](const SurveyedConversation& conversation) {
    if (conversation.refused) return;
    sum += conversation.bytes;
  });
  return sum;
}

std::uint64_t SourceSurvey::refused() const {
  std::uint64_t refused = 0;
  conversations_.ForEach([&](const SurveyedConversation& conversation) { refused += conversation.refused ? 1 : 0; });
  return std::max(refused, static_cast<std::uint64_t>(any_refused_));
}

}  // namespace turnlog
