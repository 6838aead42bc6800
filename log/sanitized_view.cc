// The sanitized view of a conversation: its events with the active repairs
// applied.
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/try.h"
#include "log/item.h"
#include "log/raw_view.h"
#include "log/repair_window.h"
#include "log/skip_erased_cursor.h"
#include "schema/event/codec.h"
#include "turnlog/log.h"

namespace turnlog {
namespace {

// What is still to be returned for one seq: the event itself and the events that repairs show after it.
struct Step {
  std::vector<Damage> damage;         // of the repairs themselves; returned first
  std::span<const RepairItem> items;  // in order of the log
  std::optional<Item> own;            // none at seq 0, or if hidden
};

class SanitizedCursor : public Cursor {
 public:
  // `last`: later events and repairs are ignored, so that the view is a snapshot.
  SanitizedCursor(Log& log, ConversationId conversation, std::unique_ptr<Cursor> raw, RepairWindow window,
                  const ReadOptions& options, Seq last)
      : log_(log),
        conversation_(std::move(conversation)),
        raw_(std::move(raw)),
        window_(std::move(window)),
        backward_(options.backward),
        last_(last),
        left_(options.limit) {}

  Result<Item> Next() override {
    while (left_ > 0) {
      auto item = TURNLOG_TRY(backward_ ? TakeLast() : TakeFirst());
      if (item) {
        --left_;
        return *std::move(item);
      }
      if (!TURNLOG_TRY(Advance())) break;
    }
    return EndOfLog{};
  }

 private:
  using Taken = Result<std::optional<Item>>;

  Taken TakeFirst() {
    if (auto damage = TakeDamage()) return damage;
    if (step_.own) return std::exchange(step_.own, std::nullopt);
    while (!step_.items.empty()) {
      const RepairItem& item = step_.items.front();
      step_.items = step_.items.subspan(1);
      if (auto shown = TURNLOG_TRY(Show(item))) return shown;
    }
    return std::nullopt;
  }

  Taken TakeLast() {
    if (auto damage = TakeDamage()) return damage;
    while (!step_.items.empty()) {
      const RepairItem& item = step_.items.back();
      step_.items = step_.items.first(step_.items.size() - 1);
      if (auto shown = TURNLOG_TRY(Show(item))) return shown;
    }
    return std::exchange(step_.own, std::nullopt);
  }

  std::optional<Item> TakeDamage() {
    while (!step_.damage.empty()) {
      Damage damage = std::move(step_.damage.back());
      step_.damage.pop_back();
      if (damaged_.insert(damage.seq).second) return damage;
    }
    return std::nullopt;
  }

  // Moves to the next seq in reading direction, including 0; false: there is none.
  Result<bool> Advance() {
    if (held_) {
      const Item item = *std::exchange(held_, std::nullopt);
      TURNLOG_TRY(Visit(item));
      return true;
    }
    if (backward_ && std::exchange(front_is_next_, false)) {
      TURNLOG_TRY(VisitFront());
      return true;
    }
    Item item = TURNLOG_TRY(NextRaw());
    if (std::holds_alternative<EndOfLog>(item)) return false;
    const bool first = SeqOf(item) == Seq{1};
    if (first && !backward_) {
      held_ = std::move(item);
      TURNLOG_TRY(VisitFront());
    } else {
      front_is_next_ = first;
      TURNLOG_TRY(Visit(item));
    }
    return true;
  }

  Result<Item> NextRaw() {
    for (;;) {
      Item item = TURNLOG_TRY(raw_->Next());
      if (std::holds_alternative<EndOfLog>(item) || SeqOf(item) <= last_) return item;
      if (!backward_) return EndOfLog{};
    }
  }

  Status Visit(const Item& item) {
    const Seq seq = SeqOf(item);
    step_.damage = TURNLOG_TRY(window_.MoveTo(seq));
    step_.items = window_.ShownAfter(seq);
    if (const auto* record = std::get_if<Record>(&item)) {
      turn_ = record->turn;
      if (record->kind != EventKind::kRepair && !window_.Hides(seq)) step_.own = item;
    } else if (const auto* erased = std::get_if<Erased>(&item)) {
      turn_ = erased->turn;
    } else if (damaged_.insert(seq.value).second) {
      step_.own = item;
    }
    return {};
  }

  Status VisitFront() {
    step_.damage = TURNLOG_TRY(window_.MoveTo(Seq{0}));
    step_.items = window_.ShownAfter(Seq{0});
    turn_ = {};
    return {};
  }

  Taken Show(const RepairItem& item) { return item.event ? ShowInserted(item) : ShowMoved(item); }

  std::optional<Item> ShowInserted(const RepairItem& item) {
    return Record{.conversation = conversation_.text(),
                  .seq = {},
                  .turn = turn_,
                  .kind = item.event->kind(),
                  .payload = encoder_.Encode(View(*item.event)),
                  .rule = item.target.rule,
                  .inserted = true};
  }

  // Nothing if the event does not exist or is erased.
  Taken ShowMoved(const RepairItem& item) {
    if (item.target.cause > last_) return std::nullopt;
    moved_ = TURNLOG_TRY(log_.ReadRaw(conversation_, {.from = item.target.cause, .limit = 1}));
    Item event = TURNLOG_TRY(moved_->Next());
    if (std::holds_alternative<EndOfLog>(event) || std::holds_alternative<Erased>(event)) return std::nullopt;
    if (auto* record = std::get_if<Record>(&event)) {
      record->turn = turn_;
      record->rule = item.target.rule;
    }
    return event;
  }

  Log& log_;
  const ConversationId conversation_;
  const std::unique_ptr<Cursor> raw_;
  RepairWindow window_;
  const bool backward_;
  const Seq last_;
  std::uint64_t left_;  // items still to be returned

  Step step_;
  Turn turn_;                        // of the current seq
  std::optional<Item> held_;         // forward: event 1, while seq 0 is visited
  bool front_is_next_ = false;       // backward: event 1 has been visited
  std::set<std::uint64_t> damaged_;  // seqs whose damage has been returned: repairs are read twice
  EventEncoder encoder_;             // of the last inserted event returned
  std::unique_ptr<Cursor> moved_;    // of the last moved event returned
};

// Fixes options that are relative to the end, as the conversation may have grown meanwhile.
ReadOptions AsOf(Seq last, Turn turn, ReadOptions options) {
  if (options.last_turns) {
    options.from_turn = Turn{*options.last_turns > turn.value ? 0 : turn.value - *options.last_turns + 1};
    options.last_turns.reset();
  }
  const bool from_end = options.backward && !options.from_turn;
  if (from_end && (options.from == Seq{0} || options.from > last)) options.from = last;
  return options;
}

}  // namespace

Result<Log::RawView> Log::FindView(const ConversationId& conversation, const ReadOptions& options) {
  const ConversationInfo info = TURNLOG_TRY(Info(conversation));
  std::vector<RepairRange> repairs = TURNLOG_TRY(Repairs(conversation));
  std::erase_if(repairs, [&](const RepairRange& repair) { return repair.seq > info.last; });
  const Turn turn{info.turns};
  const ReadOptions bounded = AsOf(info.last, turn, RawView::OptionsOf(options, !repairs.empty()));
  auto events = TURNLOG_TRY(ReadRaw(conversation, bounded));
  return RawView{info.last, turn, std::move(repairs), std::move(events)};
}

// A snapshot: later events and repairs are left out by their seqs.
Result<std::unique_ptr<Cursor>> Log::Read(const ConversationId& conversation, const ReadOptions& options) {
  RawView view = TURNLOG_TRY(FindView(conversation, options));
  if (view.repairs.empty()) {
    const ReadOptions bounded = RawView::OptionsOf(AsOf(view.last, view.turn, options), false);
    return std::make_unique<SkipErasedCursor>(*this, conversation, bounded, options.limit, view.last,
                                              std::move(view.events));
  }
  RepairWindow window(*this, conversation, std::move(view.repairs), options.backward);
  return std::make_unique<SanitizedCursor>(*this, conversation, std::move(view.events), std::move(window), options,
                                           view.last);
}

}  // namespace turnlog
