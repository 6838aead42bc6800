#include "tests/log_conformance/model_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tests/store/log_fixture.h"

namespace turnlog {
namespace {

std::string Number(std::uint64_t seq) { return seq == 0 ? "-" : std::to_string(seq); }

}  // namespace

std::string ModelLog::Append(const std::string& conversation, const std::vector<Event>& events,
                             std::optional<Seq> expected_last) {
  const auto known = conversations_.find(conversation);
  Events all = known == conversations_.end() ? Events() : known->second;
  const std::size_t before = all.size();
  std::vector<std::int64_t> seqs;
  for (const Event& event : events) {
    const auto same = std::ranges::find_if(
        all, [&](const Event& earlier) { return event.event_id && earlier.event_id == event.event_id; });
    if (same != all.end()) {
      seqs.push_back(-(same - all.begin() + 1));
    } else {
      all.push_back(event);
      seqs.push_back(static_cast<std::int64_t>(all.size()));
    }
  }
  if (all.size() == before) return fmt::format("{}", fmt::join(seqs, " "));
  if (expected_last && expected_last->value != before) return "conflict";
  for (const InquiryAttempt& attempt : AllAttempts(all)) {
    if (attempt.refused && attempt.response > before) return "secret refused";
  }
  for (std::size_t i = before; i < all.size(); ++i) {
    tail_.push_back(fmt::format("{} {} {}", conversation, i + 1, Brief(View(all[i]))));
  }
  conversations_[conversation] = std::move(all);
  return fmt::format("{}", fmt::join(seqs, " "));
}

std::uint64_t ModelLog::Last(const std::string& conversation) const {
  return Has(conversation) ? conversations_.at(conversation).size() : 0;
}

std::uint64_t ModelLog::TurnAt(const Events& events, std::size_t index) {
  return static_cast<std::uint64_t>(
      std::count_if(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                    [](const Event& event) { return event.kind() == EventKind::kTurnStart; }));
}

std::vector<std::string> ModelLog::Read(const std::string& conversation, const ReadOptions& options) const {
  const Events& events = conversations_.at(conversation);
  const std::uint64_t turns = TurnAt(events, events.size() - 1);
  std::optional<std::uint64_t> first_turn;
  if (options.from_turn) first_turn = options.from_turn->value;
  if (options.last_turns) first_turn = *options.last_turns > turns ? 0 : turns - *options.last_turns + 1;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::uint64_t turn = TurnAt(events, i);
    const bool too_new = options.backward && options.from.value != 0 && i + 1 > options.from.value;
    const bool too_old = !options.backward && i + 1 < options.from.value;
    if (first_turn ? turn < *first_turn : too_new || too_old) continue;
    lines.push_back(fmt::format("{} {} {}", i + 1, turn, Brief(View(events[i]))));
  }
  if (options.backward) std::ranges::reverse(lines);
  if (lines.size() > options.limit) lines.resize(options.limit);
  return lines;
}

// A response closes the nearest earlier open request of the same text in its turn.
std::vector<ModelLog::InquiryAttempt> ModelLog::AllAttempts(const Events& events) {
  std::vector<InquiryAttempt> all;
  std::uint64_t turn = 0;
  for (std::uint64_t seq = 1; seq <= events.size(); ++seq) {
    const Event& event = events[seq - 1];
    if (event.kind() == EventKind::kTurnStart) ++turn;
    if (const auto* request = std::get_if<InquiryRequest>(&event.body)) {
      const bool secret = request->question.answer_type.kind == AnswerKind::kSecret;
      all.push_back({.id = request->id, .secret = secret, .turn = turn, .request = seq});
    }
    const auto* response = std::get_if<InquiryResponse>(&event.body);
    if (response == nullptr) continue;
    const auto open = std::find_if(all.rbegin(), all.rend(), [&](const InquiryAttempt& attempt) {
      return attempt.turn == turn && attempt.request != 0 && attempt.response == 0 &&
             attempt.id.text == response->id.text;
    });
    const bool answered = response->outcome == Outcome::kAnswered;
    if (open == all.rend()) {
      const bool secret = std::ranges::any_of(
          all, [&](const InquiryAttempt& attempt) { return attempt.secret && attempt.id.text == response->id.text; });
      all.push_back({.id = response->id, .turn = turn, .response = seq, .refused = secret && answered});
    } else {
      open->response = seq;
      open->refused = open->secret && answered;
    }
  }
  for (InquiryAttempt& attempt : all) attempt.pending = attempt.response == 0 && attempt.turn == turn;
  return all;
}

std::vector<std::string> ModelLog::AttemptLines(const std::string& conversation, const InquiryId& id) const {
  std::vector<std::string> lines;
  for (const InquiryAttempt& attempt : AllAttempts(conversations_.at(conversation))) {
    if (attempt.id.text != id.text || (id.key && attempt.id.key != id.key)) continue;
    lines.push_back(fmt::format("t{} {}..{}{}", attempt.turn, Number(attempt.request), Number(attempt.response),
                                attempt.pending ? " pending" : ""));
  }
  return lines;
}

std::vector<std::string> ModelLog::Pending(const std::string& conversation) const {
  std::vector<std::string> lines;
  for (const InquiryAttempt& attempt : AllAttempts(conversations_.at(conversation))) {
    if (attempt.pending) lines.push_back(fmt::format("{} t{} {}", conversation, attempt.turn, attempt.request));
  }
  return lines;
}

std::vector<std::string> ModelLog::Pending() const {
  std::vector<std::string> lines;
  for (const auto& [conversation, events] : conversations_) {
    for (std::string& line : Pending(conversation)) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> ModelLog::List(std::string_view after, std::size_t limit) const {
  std::vector<std::string> lines;
  for (const auto& [conversation, events] : conversations_) {
    if (conversation <= after || lines.size() == limit) continue;
    ConversationInfo info{.id = conversation, .last = {events.size()}, .turns = TurnAt(events, events.size() - 1)};
    for (const Event& event : events) {
      if (!event.timestamp) continue;
      if (!info.first_time) info.first_time = event.timestamp;
      info.last_time = event.timestamp;
    }
    lines.push_back(InfoLine(info));
  }
  return lines;
}

std::string InfoLine(const ConversationInfo& info) {
  const auto time = [](const std::optional<Timestamp>& at) { return at ? std::to_string(at->nanos) : "-"; };
  return fmt::format("{} {} {} {} {}", info.id, info.last.value, info.turns, time(info.first_time),
                     time(info.last_time));
}

}  // namespace turnlog
