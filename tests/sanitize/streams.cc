#include "tests/sanitize/streams.h"

#include "history/turn.h"

namespace turnlog {
namespace {

std::string LikelyTurn(std::mt19937_64& random) {
  const auto one_in = [&](std::uint64_t n) { return random() % n == 0; };
  std::string turn = one_in(12) ? "" : "T ";
  if (!one_in(8)) turn += "CR ";
  for (std::uint64_t calls = random() % 3; calls > 0; --calls) {
    const std::string id = "c" + std::to_string(random() % 4);
    turn += "Q:" + id + " ";
    if (one_in(3)) turn += "I:" + id + ".q " + (one_in(3) ? "" : "A:" + id + ".q ");
    if (!one_in(4)) turn += "R:" + id + " ";
  }
  if (one_in(8)) turn += "R:c" + std::to_string(random() % 4) + " ";
  if (one_in(8)) turn += "A:c1.q ";
  if (one_in(6)) turn += "C{" + std::to_string(random() % 3) + "," + std::to_string(random() % 5) + "} ";
  if (one_in(6)) turn += "? ";
  return turn + (one_in(5) ? "" : "M ");
}

}  // namespace

std::string LikelyStory(std::mt19937_64& random) {
  std::string story;
  for (std::uint64_t left = random() % 8; left > 0; --left) story += LikelyTurn(random);
  return story;
}

std::string RandomStory(std::mt19937_64& random) {
  const std::vector<std::string> words{"T",   "CR",  "M",   "Q:c1", "Q:c2", "R:c1",   "R:c2",   "I:q",
                                       "I:p", "A:q", "A:p", "X:q",  "?",    "C{0,1}", "C{1,3}", "C{2,2}"};
  std::string story;
  for (std::size_t left = random() % 40; left > 0; --left) story += words[random() % words.size()] + " ";
  return story;
}

std::vector<std::string> ResidualDamage(const std::vector<Event>& events, bool last_is_open) {
  std::vector<std::string> damage;
  std::vector<TurnFold> turns(1);
  Seq chat;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (chat == Seq{} && events[i].kind() == EventKind::kChatRequest) chat = Seq{i + 1};
    if (IsGlobal(events[i].kind())) continue;
    if (events[i].kind() == EventKind::kTurnStart) turns.emplace_back();
    turns.back().Add(Seq{i + 1}, View(events[i]));
  }
  if (last_is_open || (!turns.back().empty() && !turns.back().Complete(chat))) turns.pop_back();
  for (const TurnFold& turn : turns) {
    for (const TurnItem& item : turn.items()) {
      const bool pairs = item.kind >= EventKind::kToolCallRequest && item.kind <= EventKind::kInquiryResponse;
      if (pairs && !item.paired()) damage.push_back(std::string(ToString(item.kind)) + " " + item.id);
    }
    if (turn.has_start() && turn.items().size() == 1) damage.emplace_back("empty turn");
  }
  return damage;
}

}  // namespace turnlog
