#include "turnlog/verify_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/try.h"
#include "log/indexed_fields.h"
#include "schema/event/open_inquiries.h"

namespace turnlog {
namespace {

constexpr std::size_t kConversationsAtOnce = 1024;
constexpr std::size_t kListed = 1000;
constexpr int kTries = 3;  // for a conversation that grows while it is compared

// What the events of a conversation say, in order.
class Told {
 public:
  struct Attempt {
    Turn turn;
    Seq request, response;  // 0: none
    Seq first() const { return request.value != 0 ? request : response; }
    auto operator<=>(const Attempt&) const = default;
  };

  Status Add(const Record& record) {
    const EventView event = TURNLOG_TRY(record.Decode());
    const IndexedFields fields = IndexedFieldsOf(event, record.payload.size(), 0);
    bytes_ += fields.bytes;
    sized_ = sized_ && !record.redacted;
    if (fields.time && !first_time_) first_time_ = fields.time;
    if (fields.time) last_time_ = fields.time;
    Begin(record.kind, record.seq, record.turn);
    if (fields.inquiry) AddInquiry(event, *fields.inquiry, fields.secret, record.seq);
    if (fields.repair) repairs_.push_back({record.seq, fields.repair->first, fields.repair->last});
    return {};
  }
  void Add(const Erased& erased) {
    sized_ = timed_ = false;
    if (erased.kind == EventKind::kInquiryRequest || erased.kind == EventKind::kInquiryResponse) asked_ = false;
    Begin(erased.kind, erased.seq, erased.turn);
  }
  void AddDamaged() { whole_ = false; }
  Seq last() const { return last_; }
  bool pending() const { return whole_ && !open_.empty(); }

  // Differences go to `differ`, one line each.
  template <class DifferFn>
  Status Compare(Log& log, const ConversationId& id, std::uint64_t& lookups, const DifferFn& differ) const {
    if (!whole_) return {};  // what is missing may be anything
    const ConversationInfo info = TURNLOG_TRY(log.Info(id));
    TURNLOG_TRY(CompareInfo(info, differ));
    TURNLOG_TRY(CompareTurns(log, id, differ));
    if (TURNLOG_TRY(log.Repairs(id)) != repairs_) differ("other repairs are found than its events say");
    lookups += 2 + starts_.size();
    if (!asked_) return {};
    lookups += 1 + attempts_.size();
    return CompareInquiries(log, id, differ);
  }

 private:
  void Begin(EventKind kind, Seq seq, Turn turn) {
    last_ = seq;
    if (kind == EventKind::kTurnStart) {
      starts_.push_back(seq);
      open_.StartTurn();
    }
    if (turn.value != starts_.size() && !wrong_turn_) wrong_turn_ = seq;
  }

  void AddInquiry(const EventView& event, const Hash128& inquiry, bool secret, Seq seq) {
    const std::string key = OpenInquiryKey(inquiry);
    const Turn turn{starts_.size()};
    if (const auto* request = std::get_if<InquiryRequestView>(&event.body)) {
      open_.Open(key, seq.value, secret);
      attempts_[std::string(request->id.text)].push_back({turn, seq, {}});
      return;
    }
    auto& attempts = attempts_[std::string(std::get<InquiryResponseView>(event.body).id.text)];
    const auto closed = open_.Close(key);
    const auto found = closed ? std::ranges::find(attempts, Seq{closed->seq}, &Attempt::request) : attempts.end();
    if (found == attempts.end()) {
      attempts.push_back({turn, {}, seq});
    } else {
      found->response = seq;
    }
  }

  template <class DifferFn>
  Status CompareInfo(const ConversationInfo& info, const DifferFn& differ) const {
    if (info.last != last_)
      differ(fmt::format("its last event is {}, and {} is said to be", last_.value, info.last.value));
    if (info.turns != starts_.size())
      differ(fmt::format("it has {} turns, and {} are counted", starts_.size(), info.turns));
    if (sized_ && info.bytes != bytes_) differ(fmt::format("it has {} bytes, and {} are counted", bytes_, info.bytes));
    if (timed_ && (info.first_time != first_time_ || info.last_time != last_time_)) {
      differ("its first or last time is not that of its events");
    }
    if (wrong_turn_) differ(fmt::format("event {} is said to be of another turn", wrong_turn_->value));
    return {};
  }

  template <class DifferFn>
  Status CompareTurns(Log& log, const ConversationId& id, const DifferFn& differ) const {
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      const auto cursor = TURNLOG_TRY(log.ReadRaw(id, {.from_turn = Turn{i + 1}, .limit = 1}));
      const Item item = TURNLOG_TRY(cursor->Next());
      const auto* record = std::get_if<Record>(&item);
      const auto* erased = std::get_if<Erased>(&item);
      const Seq found = record != nullptr ? record->seq : erased != nullptr ? erased->seq : Seq{};
      if (found != starts_[i]) {
        differ(
            fmt::format("turn {} begins with event {}, and event {} is found", i + 1, starts_[i].value, found.value));
      }
    }
    return {};
  }

  template <class DifferFn>
  Status CompareInquiries(Log& log, const ConversationId& id, const DifferFn& differ) const {
    const auto pending = TURNLOG_TRY(log.PendingRaw(id));
    const auto same = [](const PendingInquiry& one, const OpenInquiry& other) {
      return one.request.value == other.seq;
    };
    if (!std::ranges::equal(pending, open_.all(), same)) differ("other inquiries are pending than its events say");
    for (const auto& [text, attempts] : attempts_) {
      std::vector<Attempt> found;
      for (const InquiryRecord& each : TURNLOG_TRY(log.FindInquiryRaw(id, {.text = text, .key = {}}))) {
        found.push_back({each.turn, each.request.value_or(Seq{}), each.response.value_or(Seq{})});
      }
      if (found != attempts) {
        differ(fmt::format("of the inquiry of event {}, other attempts are found than its events say",
                           attempts.front().first().value));
      }
    }
    return {};
  }

  Seq last_;
  std::uint64_t bytes_ = 0;
  std::optional<Timestamp> first_time_, last_time_;
  std::vector<Seq> starts_;  // of the turns
  std::optional<Seq> wrong_turn_;
  OpenInquiries open_;
  std::map<std::string, std::vector<Attempt>> attempts_;  // by the inquiry's id
  std::vector<RepairRange> repairs_;
  // What can be compared, after erasures, redactions and damage.
  bool whole_ = true, sized_ = true, timed_ = true, asked_ = true;
};

class Verifier {
 public:
  Verifier(Log& log, const Progress& progress) : log_(log), progress_(progress) {}

  Result<LogReport> Run() {
    total_ = TURNLOG_TRY(log_.Stats()).events;
    for (std::string after;;) {
      const auto page = TURNLOG_TRY(log_.List(after, kConversationsAtOnce));
      if (page.empty()) break;
      for (const ConversationInfo& info : page) {
        const auto id = TURNLOG_TRY(ConversationId::Parse(info.id));
        TURNLOG_TRY(Verify(id));
      }
      after = page.back().id;
    }
    TURNLOG_TRY(ComparePending());
    return std::move(report_);
  }

 private:
  // Again if it has grown meanwhile: the differences may be what is new. One that never rests is read and not compared.
  Status Verify(const ConversationId& id) {
    for (int tries = 1;; ++tries) {
      LogReport one{.conversations = 1};
      const Told told = TURNLOG_TRY(Read(id, one));
      TURNLOG_TRY(Compare(told, id, one));
      const bool grown = one.difference_count > 0 && TURNLOG_TRY(log_.Info(id)).last > told.last();
      if (grown && tries < kTries) continue;
      if (grown) one.lookups = one.difference_count = 0, one.differences.clear();
      if (told.pending()) pending_.insert(id.text());
      Merge(std::move(one));
      return {};
    }
  }

  Status Compare(const Told& told, const ConversationId& id, LogReport& report) {
    const auto differ = [&](std::string_view what) { AddDifference(id.text(), what, report); };
    const Status compared = told.Compare(log_, id, report.lookups, differ);
    if (compared || compared.error().code != ErrorCode::kCorruption) return compared;
    differ(compared.error().message);
    return {};
  }

  static void AddDifference(std::string_view conversation, std::string_view what, LogReport& report) {
    ++report.difference_count;
    if (report.differences.size() < kListed) {
      report.differences.push_back(fmt::format("conversation \"{}\": {}", conversation, what));
    }
  }

  // All pending inquiries are found in one step, too. Twice, because some are answered and asked meanwhile.
  Status ComparePending() {
    for (int round = 0; round < 2; ++round) {
      for (const PendingInquiry& each : TURNLOG_TRY(log_.PendingRaw({}))) pending_.erase(each.conversation);
      for (auto next = pending_.begin(); next != pending_.end();) {
        const auto id = TURNLOG_TRY(ConversationId::Parse(*next));
        next = TURNLOG_TRY(log_.PendingRaw(id)).empty() ? pending_.erase(next) : std::next(next);
      }
    }
    for (const std::string& conversation : pending_) {
      AddDifference(conversation, "its pending inquiries are not among those of all conversations", report_);
    }
    return {};
  }

  Result<Told> Read(const ConversationId& id, LogReport& report) {
    Told told;
    const auto cursor = TURNLOG_TRY(log_.ReadRaw(id));
    for (;;) {
      const Item item = TURNLOG_TRY(cursor->Next());
      if (std::holds_alternative<EndOfLog>(item)) return told;
      if (const auto* damage = std::get_if<Damage>(&item)) {
        ++report.damage_count;
        if (report.damage.size() < kListed) report.damage.push_back(*damage);
        told.AddDamaged();
        continue;
      }
      ++report.events;
      if (const auto* record = std::get_if<Record>(&item)) {
        report.bytes += record->payload.size();
        report.redacted += record->redacted ? 1 : 0;
        TURNLOG_TRY(told.Add(*record));
      } else {
        ++report.erased;
        told.Add(std::get<Erased>(item));
      }
    }
  }

  void Merge(LogReport one) {
    const auto append = [](auto& all, auto& more) {
      for (auto& each : more) {
        if (all.size() < kListed) all.push_back(std::move(each));
      }
    };
    report_.conversations += one.conversations;
    report_.events += one.events;
    report_.bytes += one.bytes;
    report_.erased += one.erased;
    report_.redacted += one.redacted;
    report_.lookups += one.lookups;
    report_.damage_count += one.damage_count;
    report_.difference_count += one.difference_count;
    append(report_.damage, one.damage);
    append(report_.differences, one.differences);
    if (progress_) progress_(report_.events, total_);
  }

  Log& log_;
  const Progress& progress_;
  std::uint64_t total_ = 0;
  std::set<std::string> pending_;  // conversations
  LogReport report_;
};

}  // namespace

Result<LogReport> VerifyLog(Log& log, const Progress& progress) { return Verifier(log, progress).Run(); }

}  // namespace turnlog
