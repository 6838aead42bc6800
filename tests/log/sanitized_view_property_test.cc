// Random conversations with random repairs, retractions and undos: a cursor's view equals the one that a simple program
// computes from all events and all repairs at once, in every slice.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "history/repair_set.h"
#include "tests/store/log_fixture.h"
#include "tests/support/effort.h"
#include "turnlog/repair.h"

namespace turnlog::sanitized_view_property_test {
namespace {

// One line of the view, and the seq under which it is shown.
struct Shown {
  std::uint64_t place = 0;
  std::string line;
};

std::string Describe(Seq seq, std::uint64_t turn, std::string_view rule, bool inserted, const EventView& event) {
  return fmt::format("{} t{} {} {} {}", seq.value, turn, rule, inserted, Brief(event));
}

class Conversation {
 public:
  Conversation(Log& log, ConversationId id, std::uint32_t seed) : log_(log), id_(std::move(id)), random_(seed) {
    for (std::uint64_t left = Random(1, 30); left > 0; --left) AddEvent();
    for (std::uint64_t left = Random(1, 8); left > 0; --left) {
      AddRepair();
      if (Random(0, 2) == 0) AddEvent();
    }
  }

  std::uint64_t last() const { return events_.size(); }
  std::uint64_t turns() const { return TurnAt(last()); }

  // The first event of the turn; none if there is no such turn.
  std::optional<std::uint64_t> StartOf(std::uint64_t turn) const {
    if (turn == 0) return 1;
    for (std::uint64_t seq = 1; seq <= last(); ++seq) {
      if (At(seq).kind() == EventKind::kTurnStart && --turn == 0) return seq;
    }
    return std::nullopt;
  }

  std::vector<Shown> View() const {
    const std::vector<RepairItem> items = FoldRepairs(repairs_).active;
    std::vector<Shown> view;
    for (std::uint64_t place = 0; place <= last(); ++place) {
      const bool hidden = std::ranges::any_of(items, [&](const RepairItem& item) {
        return item.target.action != RepairAction::kInsert && item.target.cause.value == place;
      });
      if (place > 0 && !hidden && At(place).kind() != EventKind::kRepair) {
        view.push_back({place, Describe({place}, TurnAt(place), "", false, turnlog::View(At(place)))});
      }
      for (const auto& [target, event, extra] : items) {
        if (target.anchor.value != place || target.action == RepairAction::kDrop) continue;
        const Seq seq{event ? 0 : target.cause.value};
        const EventView shown = turnlog::View(event ? *event : At(target.cause.value));
        view.push_back({place, Describe(seq, TurnAt(place), target.rule, event.has_value(), shown)});
      }
    }
    return view;
  }

 private:
  std::uint64_t Random(std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random_);
  }
  const Event& At(std::uint64_t seq) const { return events_[seq - 1]; }
  std::uint64_t TurnAt(std::uint64_t place) const {
    return static_cast<std::uint64_t>(
        std::count_if(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(place),
                      [](const Event& event) { return event.kind() == EventKind::kTurnStart; }));
  }

  void Append(Event event) {
    Must(log_.Append(id_, event, {.durability = Durability::kBuffered}));
    events_.push_back(std::move(event));
  }

  void AddEvent() { Append(Random(0, 4) == 0 ? NewTurn() : Say(fmt::format("event {}", last() + 1))); }

  RepairItem RandomItem(std::uint64_t from, std::uint64_t to) {
    const Seq place{Random(from, to)}, cause{Random(std::max<std::uint64_t>(from, 1), to)};
    const std::string rule = fmt::format("rule-{}", Random(1, 3));
    if (Random(0, 2) == 0) return {{RepairAction::kDrop, cause, cause, rule}, std::nullopt};
    const bool move = Random(0, 1) == 0 && place != cause && At(cause.value).kind() != EventKind::kRepair;
    if (move) return {{RepairAction::kMove, place, cause, rule}, std::nullopt};
    return {{RepairAction::kInsert, place, cause, rule},
            Random(0, 3) == 0 ? NewTurn() : Say(fmt::format("new {}", ++inserted_))};
  }

  void AddRepair() {
    Repair repair{.profile = "random", .head = {last()}, .from = {Random(0, last())}, .to = {}};
    repair.to = Seq{Random(std::max<std::uint64_t>(repair.from.value, 1), last())};
    for (std::uint64_t left = Random(0, 6); left > 0; --left) {
      RepairItem item = RandomItem(repair.from.value, repair.to.value);
      const bool known =
          std::ranges::any_of(repair.items, [&](const RepairItem& other) { return other.target == item.target; });
      if (!known) repair.items.push_back(std::move(item));
    }
    if (!repairs_.empty()) TakeBack(repair, repairs_[Random(0, repairs_.size() - 1)]);
    Append(ToEvent(repair, std::nullopt));
    repairs_.push_back({Seq{last()}, std::move(repair)});
  }

  void TakeBack(Repair& repair, const StoredRepair& earlier) {
    const bool undo = Random(0, 5) == 0;
    if (undo) repair.undoes.push_back(earlier.seq);
    for (const RepairItem& item : earlier.repair.items) {
      if (!undo && Random(0, 5) == 0) repair.retracts.push_back({item.target});
    }
    if (repair.undoes.empty() && repair.retracts.empty()) return;
    repair.from = std::min(repair.from, earlier.repair.from);
    repair.to = std::max(repair.to, earlier.repair.to);
  }

  Log& log_;
  const ConversationId id_;
  std::mt19937 random_;
  int inserted_ = 0;
  std::vector<Event> events_;
  std::vector<StoredRepair> repairs_;
};

class SanitizedViewProperty : public LogTest {
 protected:
  std::vector<std::string> Read(const ConversationId& id, const ReadOptions& options) {
    const auto cursor = Must(log_->Read(id, options));
    std::vector<std::string> lines;
    for (Item item = Must(cursor->Next()); !std::holds_alternative<EndOfLog>(item); item = Must(cursor->Next())) {
      const auto& record = std::get<Record>(item);
      lines.push_back(Describe(record.seq, record.turn.value, record.rule, record.inserted, Must(record.Decode())));
    }
    return lines;
  }

  // The part of the view from `first` (0 and 1: from its beginning) to `last`.
  static std::vector<std::string> Slice(const std::vector<Shown>& view, std::uint64_t first, std::uint64_t last) {
    std::vector<std::string> lines;
    for (const Shown& shown : view) {
      if ((shown.place >= first || first <= 1) && shown.place <= last) lines.push_back(shown.line);
    }
    return lines;
  }

  // Reads the whole view and with several limits.
  void Expect(const ConversationId& id, ReadOptions options, std::vector<std::string> expected) {
    if (options.backward) std::ranges::reverse(expected);
    ASSERT_EQ(Read(id, options), expected);
    for (const std::size_t limit : {std::size_t{1}, expected.size() / 2, expected.size() + 1}) {
      options.limit = limit;
      const auto end = expected.begin() + static_cast<std::ptrdiff_t>(std::min(limit, expected.size()));
      ASSERT_EQ(Read(id, options), std::vector(expected.begin(), end)) << "limit " << limit;
    }
  }

  void ExpectFromEverySeq(const ConversationId& id, const Conversation& conversation) {
    const std::vector<Shown> view = conversation.View();
    const std::uint64_t last = conversation.last();
    for (std::uint64_t seq = 0; seq <= last + 1; ++seq) {
      SCOPED_TRACE(fmt::format("from {}", seq));
      Expect(id, {.from = {seq}}, Slice(view, seq, last));
      Expect(id, {.from = {seq}, .backward = true}, Slice(view, 1, seq == 0 ? last : seq));
    }
  }

  void ExpectFromEveryTurn(const ConversationId& id, const Conversation& conversation) {
    const std::vector<Shown> view = conversation.View();
    const std::uint64_t last = conversation.last();
    for (std::uint64_t turn = 0; turn <= conversation.turns() + 1; ++turn) {
      SCOPED_TRACE(fmt::format("turn {}", turn));
      const std::uint64_t first = conversation.StartOf(turn).value_or(last + 1);
      for (const bool backward : {false, true}) {
        Expect(id, {.from_turn = Turn{turn}, .backward = backward}, Slice(view, first, last));
        const std::uint64_t turns = conversation.turns() + 1 - turn;
        Expect(id, {.last_turns = turns, .backward = backward}, Slice(view, first, last));
      }
    }
  }
};

TEST_F(SanitizedViewProperty, IsWhatAllRepairsTogetherSayInEverySlice) {
  for (std::uint32_t seed = 1; seed <= SampleSize(200, 200); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const ConversationId id = Id(fmt::format("c{}", seed));
    const Conversation conversation(*log_, id, seed);
    ASSERT_NO_FATAL_FAILURE(ExpectFromEverySeq(id, conversation));
    ASSERT_NO_FATAL_FAILURE(ExpectFromEveryTurn(id, conversation));
  }
}

}  // namespace
}  // namespace turnlog::sanitized_view_property_test
