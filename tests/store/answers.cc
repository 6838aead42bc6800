#include "tests/store/answers.h"

#include <fmt/format.h>

#include <set>

#include "base/hash.h"

namespace turnlog {
namespace {

class Asker {
 public:
  explicit Asker(Log& log) : log_(log) {}

  std::vector<std::string> All() {
    for (const ConversationInfo& info : Conversations()) {
      AskInfo(info);
      const ConversationId id = *ConversationId::Parse(info.id);
      inquiries_.clear();
      AskRead(id, {});
      AskRead(id, {.from = {0}, .backward = true});
      for (std::uint64_t turn = 0; turn <= info.turns; ++turn) {
        AskRead(id, {.from_turn = Turn{turn}, .limit = 1});
      }
      AskRead(id, {.last_turns = 1});
      for (const std::string& inquiry : inquiries_) AskInquiry(id, inquiry);
      AskPending(id);
      AskRepairs(id);
    }
    AskPending(std::nullopt);
    AskTail();
    return std::move(lines_);
  }

 private:
  template <class... Args>
  void Say(fmt::format_string<Args...> format, Args&&... args) {
    lines_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  void SayError(std::string_view what, const Error& error) { Say("error {}: {}", what, error.message); }

  std::vector<ConversationInfo> Conversations() {
    std::vector<ConversationInfo> all;
    for (;;) {
      auto page = log_.List(all.empty() ? "" : all.back().id, 3);
      if (!page) SayError("list", page.error());
      if (!page || page->empty()) return all;
      all.insert(all.end(), page->begin(), page->end());
    }
  }

  void AskInfo(const ConversationInfo& info) {
    const auto time = [](const std::optional<Timestamp>& at) { return at ? at->nanos : -1; };
    Say("conversation {} last {} turns {} bytes {} times {} {}", info.id, info.last.value, info.turns, info.bytes,
        time(info.first_time), time(info.last_time));
  }

  void AskRead(const ConversationId& id, const ReadOptions& options) {
    const auto cursor = log_.ReadRaw(id, options);
    if (!cursor) return SayError("read " + id.text(), cursor.error());
    for (;;) {
      const auto item = (*cursor)->Next();
      if (!item) return SayError("next " + id.text(), item.error());
      if (!SayItem(*item)) return;
    }
  }

  bool SayItem(const Item& item) {
    if (const auto* damage = std::get_if<Damage>(&item)) Say("damage {}", ToString(*damage));
    if (const auto* record = std::get_if<Record>(&item)) {
      Say("record {} {} turn {} kind {} {} bytes {:016x}", record->conversation, record->seq.value, record->turn.value,
          ToString(record->kind), record->payload.size(), Hash64(record->payload));
      if (const auto event = record->Decode()) {
        if (const auto* asked = std::get_if<BasicInquiryRequest<std::string_view>>(&event->body)) {
          inquiries_.emplace(asked->id.text);
        }
        if (const auto* answer = std::get_if<BasicInquiryResponse<std::string_view>>(&event->body)) {
          inquiries_.emplace(answer->id.text);
        }
      }
    }
    if (const auto* erased = std::get_if<Erased>(&item)) {
      Say("erased {} {} turn {} kind {}", erased->conversation, erased->seq.value, erased->turn.value,
          ToString(erased->kind));
    }
    return !std::holds_alternative<EndOfLog>(item);
  }

  void AskInquiry(const ConversationId& id, const std::string& text) {
    const auto found = log_.FindInquiryRaw(id, {.text = text});
    if (!found) return SayError("inquiry " + text, found.error());
    for (const InquiryRecord& record : *found) {
      Say("inquiry {} {} turn {} {}..{} {}", id.text(), text, record.turn.value, record.request.value_or(Seq{}).value,
          record.response.value_or(Seq{}).value, record.pending ? "pending" : "settled");
    }
  }

  void AskPending(const std::optional<ConversationId>& id) {
    const auto pending = log_.PendingRaw(id);
    if (!pending) return SayError("pending", pending.error());
    for (const PendingInquiry& one : *pending) {
      Say("pending {} turn {} seq {}", one.conversation, one.turn.value, one.request.value);
    }
  }

  void AskRepairs(const ConversationId& id) {
    const auto repairs = log_.Repairs(id);
    if (!repairs) return SayError("repairs", repairs.error());
    for (const RepairRange& one : *repairs) {
      Say("repair {} seq {} of {}..{}", id.text(), one.seq.value, one.from.value, one.to.value);
    }
  }

  void AskTail() {
    const auto tail = log_.Follow({});
    if (!tail) return SayError("tail", tail.error());
    for (;;) {
      const auto item = (*tail)->Next();
      if (!item) return SayError("tail", item.error());
      if (!SayItem(*item)) return;
    }
  }

  Log& log_;
  std::vector<std::string> lines_;
  std::set<std::string> inquiries_;
};

}  // namespace

std::vector<std::string> AnswersOf(Log& log) { return Asker(log).All(); }

}  // namespace turnlog
