// Every component that pairs responses with requests makes the same pairs, also when ids repeat within a turn: the
// index (FindInquiry, Pending), the folds over a turn, the profile strict and the denials. TURNLOG_PAIRING_SEED in the
// environment runs that seed alone.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>
#include <random>
#include <set>

#include "history/turn.h"
#include "sanitize/repair/strict.h"
#include "tests/store/log_fixture.h"
#include "turnlog/inquiry/denials.h"
#include "turnlog/turn_state.h"

namespace turnlog::pairing_test {
namespace {

struct Request {
  bool call = false;  // or an inquiry
  std::string id;
  std::uint64_t turn = 0, request = 0, response = 0;  // 0: none
};

// The rule, said as simply as possible: of the requests before it in its turn, a response closes the last one that has
// its kind and id and no response. An unmatched response is kept as a Request without a request.
class Pairs {
 public:
  void Open(bool call, const std::string& id, std::uint64_t seq) { all_.push_back({call, id, turn_, seq, 0}); }
  void Close(bool call, const std::string& id, std::uint64_t seq) {
    for (auto request = all_.rbegin(); request != all_.rend() && request->turn == turn_; ++request) {
      if (request->call != call || request->id != id || request->response != 0) continue;
      request->response = seq;
      return;
    }
    all_.push_back({call, id, turn_, 0, seq});
  }
  void StartTurn() { ++turn_; }

  std::uint64_t turn() const { return turn_; }
  const std::vector<Request>& all() const { return all_; }

 private:
  std::uint64_t turn_ = 0;
  std::vector<Request> all_;
};

// A conversation of few ids: most of them repeat.
class Stream {
 public:
  explicit Stream(std::uint64_t seed) : random_(seed) {
    Add({}), Add({.body = ChatRequest{.content = "go"}});
    for (std::size_t left = 2 + random_() % 40; left > 0; --left) AddRandom();
  }

  const std::vector<Event>& events() const { return events_; }
  const Pairs& pairs() const { return pairs_; }
  const std::vector<std::string>& ids() const { return ids_; }

 private:
  void Add(Event event) {
    if (event.kind() == EventKind::kTurnStart) pairs_.StartTurn();
    events_.push_back(std::move(event));
  }
  void AddRandom() {
    const std::string& id = ids_[random_() % ids_.size()];
    const std::uint64_t seq = events_.size() + 1;
    const std::uint64_t what = random_() % 21;
    const bool call = what < 10;
    if (what == 20) return Add({});
    const bool opens = call ? what < 5 : what < 15;
    opens ? pairs_.Open(call, id, seq) : pairs_.Close(call, id, seq);
    Add(!call ? (opens ? Ask(Opaque(id)) : Answer(Opaque(id))) : opens ? Call(id, seq) : Result(id));
  }
  static Event Call(const std::string& id, std::uint64_t seq) {
    return {.body = ToolCallRequest{id, fmt::format("tool{}", seq), Json::FromTrusted("{}")}};
  }
  Event Result(const std::string& id) {
    ToolCallResponse result{.id = id, .content = "done"};
    if (random_() % 2 == 0) result.denied = Denial{};
    return {.body = result};
  }

  std::mt19937_64 random_;
  const std::vector<std::string> ids_{"a", "b", "c"};
  std::vector<Event> events_;
  Pairs pairs_;
};

using Seqs = std::set<std::uint64_t>;

class PairingTest : public LogTest {
 protected:
  static void ExpectFindInquiry(Log& log, std::string_view conversation, const Stream& stream) {
    for (const std::string& id : stream.ids()) {
      std::vector<std::string> expected;
      for (const Request& one : stream.pairs().all()) {
        if (one.call || one.id != id) continue;
        const auto number = [](std::uint64_t seq) { return seq == 0 ? "-" : std::to_string(seq); };
        const bool waits = one.response == 0 && one.turn == stream.pairs().turn();
        expected.push_back(
            fmt::format("t{} {}..{}{}", one.turn, number(one.request), number(one.response), waits ? " pending" : ""));
      }
      EXPECT_EQ(AttemptLines(log, conversation, Opaque(id)), expected) << "inquiries " << id;
    }
  }

  static void ExpectPending(Log& log, std::string_view conversation, const Stream& stream) {
    std::vector<std::string> expected;
    for (const std::uint64_t seq : OpenInLastTurn(stream, false)) {
      expected.push_back(fmt::format("{} t{} {}", conversation, stream.pairs().turn(), seq));
    }
    EXPECT_EQ(PendingLines(log, conversation), expected);
  }

  static Seqs OpenInLastTurn(const Stream& stream, bool calls) {
    Seqs open;
    for (const Request& one : stream.pairs().all()) {
      if (one.call == calls && one.response == 0 && one.turn == stream.pairs().turn()) open.insert(one.request);
    }
    return open;
  }

  static void ExpectTurnState(const Stream& stream) {
    TurnState state;
    for (std::size_t i = 0; i < stream.events().size(); ++i) state.Apply({i + 1}, View(stream.events()[i]));
    Seqs calls, inquiries;
    for (const OpenCall* call : state.calls()) calls.insert(call->seq.value);
    for (const InquiryState* inquiry : state.questions()) inquiries.insert(inquiry->asked.value);
    EXPECT_EQ(calls, OpenInLastTurn(stream, true));
    EXPECT_EQ(inquiries, OpenInLastTurn(stream, false));
  }

  static void ExpectTurnFold(const Stream& stream) {
    std::set<std::pair<std::uint64_t, std::uint64_t>> expected, found;
    for (const Request& one : stream.pairs().all()) {
      if (one.request != 0 && one.response != 0) expected.emplace(one.request, one.response);
    }
    TurnFold turn;
    for (std::size_t i = 0; i < stream.events().size(); ++i) {
      if (stream.events()[i].kind() == EventKind::kTurnStart) turn = {};
      const std::size_t index = turn.Add({i + 1}, View(stream.events()[i]));
      const TurnItem& item = turn.items()[index];
      if (item.paired()) found.emplace(turn.items()[item.partner].seq.value, item.seq.value);
    }
    EXPECT_EQ(found, expected);
  }

  // Of the turns that are over, strict repairs exactly what has no partner.
  static void ExpectStrict(const Stream& stream) {
    StrictState start = FreshStrictState();
    start.first_chat = Seq{2};
    StrictPlanner planner(std::move(start));
    for (std::size_t i = 0; i < stream.events().size(); ++i) planner.Add({i + 1}, View(stream.events()[i]));
    Seqs expected, found;
    for (const Request& one : stream.pairs().all()) {
      if (one.turn == stream.pairs().turn() || (one.request != 0 && one.response != 0)) continue;
      expected.insert(one.request + one.response);
    }
    const auto add = [&](const Finding& why) {
      if (why.kind != EventKind::kTurnStart) found.insert(why.seq.value);
    };
    for (const Drop& drop : planner.over().drops) add(drop.why);
    for (const Insert& insert : planner.over().inserts) add(insert.why);
    EXPECT_EQ(found, expected);
  }

  static void ExpectDenials(Log& log, std::string_view conversation, const Stream& stream) {
    std::map<std::uint64_t, std::string> denied;  // by seq of the response
    for (const Request& one : stream.pairs().all()) {
      if (!one.call || one.response == 0 || one.turn != stream.pairs().turn()) continue;
      const auto& result = std::get<ToolCallResponse>(stream.events()[one.response - 1].body);
      if (result.denied) denied[one.response] = one.request == 0 ? "" : fmt::format("tool{}", one.request);
    }
    std::vector<std::string> expected, found;
    for (const auto& [seq, tool] : denied) expected.push_back(tool);
    for (const DeniedCall& denial : Must(DenialsOfLastTurn(log, Id(conversation)))) found.push_back(denial.tool);
    EXPECT_EQ(found, expected);
  }

  static void Expect(Log& log, std::string_view conversation, const Stream& stream) {
    ExpectFindInquiry(log, conversation, stream);
    ExpectPending(log, conversation, stream);
    ExpectTurnState(stream);
    ExpectTurnFold(stream);
    ExpectStrict(stream);
    ExpectDenials(log, conversation, stream);
  }
};

std::pair<std::uint64_t, std::uint64_t> Seeds() {
  const char* const alone = std::getenv("TURNLOG_PAIRING_SEED");
  if (alone == nullptr) return {1, 3000};
  return {std::stoull(alone), std::stoull(alone)};
}

// Appended at once or in two parts with a checkpoint between them, where the index starts from what it has on disk.
TEST_F(PairingTest, IsTheSameEverywhere) {
  const auto [first, last] = Seeds();
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE(fmt::format("TURNLOG_PAIRING_SEED={}", seed));
    const std::string conversation = fmt::format("c{}", seed);
    const Stream stream(seed);
    const auto& events = stream.events();
    const auto middle = events.begin() + static_cast<std::ptrdiff_t>(events.size() / 2);
    Must(Append(conversation, std::vector(events.begin(), middle)));
    if (seed % 8 == 0) Must(log_->Checkpoint());
    Must(Append(conversation, std::vector(middle, events.end())));
    Expect(*log_, conversation, stream);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace turnlog::pairing_test
