// Looking up: lists, inquiries, repairs, watermarks. Each in one indexed step.
#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "log/consumer_name.h"
#include "log/indexed_fields.h"
#include "store/sql/changed_conversations.h"
#include "store/sql/sql_log.h"

namespace turnlog {
namespace {

const SqlStatement& ListStatement() {
  static const SqlStatement statement{
      "turnlog_head_list",
      fmt::format("SELECT {} FROM turnlog_head h WHERE h.name > $1 ORDER BY h.name LIMIT $2", HeadColumns("h"))};
  return statement;
}

const SqlStatement& PendingStatement() {
  static const SqlStatement statement{
      "turnlog_head_pending",
      fmt::format(
          "SELECT {} FROM turnlog_pending p JOIN turnlog_head h ON h.lane = p.lane AND h.conv = p.conv ORDER BY "
          "h.name",
          HeadColumns("h"))};
  return statement;
}

const SqlStatement kInquiries{"turnlog_inquiry_find",
                              "SELECT turn, request, response FROM turnlog_inquiry WHERE lane = $1 AND conv = $2 AND "
                              "id = $3 ORDER BY first_seq"};
const SqlStatement kRepairs{"turnlog_repair_find",
                            "SELECT seq, from_seq, to_seq FROM turnlog_repair WHERE lane = $1 AND conv = $2 AND "
                            "seq <= $3 ORDER BY seq"};
const SqlStatement kFindWatermark{"turnlog_watermark_find",
                                  "SELECT head, state FROM turnlog_watermark WHERE lane = $1 AND conv = $2 AND "
                                  "consumer = $3"};
// The first entry of the index is all that is read.
const SqlStatement kAnyRepair{"turnlog_repair_any", "SELECT 1::bigint FROM turnlog_repair LIMIT 1"};

SqlParams Page(std::string_view after, std::size_t limit) {
  SqlParams params;
  params.Bytes(after).Big(std::min<std::uint64_t>(limit, INT64_MAX));
  return params;
}

void AddPending(std::vector<PendingInquiry>& pending, const ConversationHead& head) {
  for (const OpenInquiry& inquiry : head.open.all()) pending.push_back({head.name, {head.turns}, {inquiry.seq}});
}

}  // namespace

Result<std::vector<ConversationInfo>> SqlLog::InfosIn(const SqlRows& rows) {
  std::vector<ConversationInfo> infos;
  for (std::size_t row = 0; row < rows.size(); ++row) infos.push_back(TURNLOG_TRY(HeadIn(rows, row)).Info());
  return infos;
}

Result<std::vector<ConversationInfo>> SqlLog::List(std::string_view after, std::size_t limit) {
  return InfosIn(TURNLOG_TRY(
      pool_.Read([&](Connection& connection) { return connection.Run(ListStatement(), Page(after, limit)); })));
}

Result<std::vector<ConversationInfo>> SqlLog::ListChanged(std::string_view consumer, std::string_view after,
                                                          std::size_t limit, Changes which) {
  TURNLOG_TRY(CheckConsumerName(consumer));
  if (which == Changes::kRepaired) {
    const SqlRows any = TURNLOG_TRY(pool_.Read([](Connection& connection) { return connection.Run(kAnyRepair); }));
    if (any.size() == 0) return std::vector<ConversationInfo>();
  }
  bool entered = false;
  if (!pool_.read_only()) {
    const Status done = EnterChanged(pool_, consumer);
    if (!done && done.error().code != ErrorCode::kReadOnly) return std::unexpected(done.error());
    entered = done.has_value();
  }
  const auto page = entered ? ChangedPage : ComparedPage;
  const std::uint64_t most = std::min<std::uint64_t>(limit, INT64_MAX);
  return InfosIn(
      TURNLOG_TRY(pool_.Read([&](Connection& connection) { return page(connection, consumer, after, most, which); })));
}

// --- Inquiries ---

Result<std::vector<InquiryRecord>> SqlLog::FindInquiryRaw(const ConversationId& conversation, const InquiryIdView& id) {
  const ConversationHead head = TURNLOG_TRY(FindHeadOf(conversation));
  const Hash128 hash = HashId(id.text, store_.salt());
  const SqlRows rows = TURNLOG_TRY(pool_.Read([&](Connection& connection) {
    SqlParams params = head.key.Params();
    params.Uuid(hash);
    return connection.Run(kInquiries, std::move(params));
  }));
  std::vector<InquiryRecord> records;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    // The rows may be later than `head`.
    const Seq request{rows.Integer(row, 1)}, response{rows.Integer(row, 2)};
    InquiryRecord record{.turn = {rows.Integer(row, 0)}};
    if (request.value > 0 && request.value <= head.last_seq) record.request = request;
    if (response.value > 0 && response.value <= head.last_seq) record.response = response;
    if (!record.request && !record.response) continue;
    if (!TURNLOG_TRY(Matches(head, record, id))) continue;
    record.pending = !record.response && record.turn.value == head.turns;
    records.push_back(record);
  }
  return records;
}

// The index holds only hashes of ids, so the ids are compared in the event itself.
Result<bool> SqlLog::Matches(const ConversationHead& head, const InquiryRecord& record, const InquiryIdView& id) {
  const std::uint64_t seq = record.request ? record.request->value : record.response->value;
  EventReader reader(pool_, head.key, head.name, {seq, seq}, false);
  const Item item = TURNLOG_TRY(reader.Next());
  const auto* event = std::get_if<Record>(&item);
  if (event == nullptr) return true;  // erased or damaged: trust the index
  return HasInquiryId(TURNLOG_TRY(event->Decode()), id);
}

Result<std::vector<PendingInquiry>> SqlLog::PendingRaw(const std::optional<ConversationId>& conversation) {
  std::vector<PendingInquiry> pending;
  if (conversation) {
    AddPending(pending, TURNLOG_TRY(FindHeadOf(*conversation)));
    return pending;
  }
  const SqlRows rows =
      TURNLOG_TRY(pool_.Read([](Connection& connection) { return connection.Run(PendingStatement()); }));
  for (std::size_t row = 0; row < rows.size(); ++row) AddPending(pending, TURNLOG_TRY(HeadIn(rows, row)));
  return pending;
}

// --- For the sanitizer and other consumers ---

Result<std::vector<RepairRange>> SqlLog::Repairs(const ConversationId& conversation) {
  const ConversationHead head = TURNLOG_TRY(FindHeadOf(conversation));
  std::vector<RepairRange> repairs;
  if (head.repairs == 0) return repairs;
  const SqlRows rows = TURNLOG_TRY(pool_.Read([&](Connection& connection) {
    SqlParams params = head.key.Params();
    params.Big(head.last_seq);
    return connection.Run(kRepairs, std::move(params));
  }));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    repairs.push_back({{rows.Integer(row, 0)}, {rows.Integer(row, 1)}, {rows.Integer(row, 2)}});
  }
  return repairs;
}

Result<std::optional<Watermark>> SqlLog::FindWatermark(std::string_view consumer, const ConversationId& conversation) {
  TURNLOG_TRY(CheckConsumerName(consumer));
  const ConversationHead head = TURNLOG_TRY(FindHeadIfAny(conversation));
  const SqlRows rows = TURNLOG_TRY(pool_.Read([&](Connection& connection) {
    SqlParams params = head.key.Params();
    params.Bytes(consumer);
    return connection.Run(kFindWatermark, std::move(params));
  }));
  if (rows.size() == 0 || rows.Integer(0, 0) > head.last_seq) return std::nullopt;
  return Watermark{.head = {rows.Integer(0, 0)}, .state = std::string(rows.Bytes(0, 1))};
}

Status SqlLog::SetWatermark(std::string_view consumer, const ConversationId& conversation, const Watermark& watermark) {
  TURNLOG_TRY(CheckConsumerName(consumer));
  TURNLOG_TRY(MustBeWritable());
  const ConversationHead head = TURNLOG_TRY(FindHeadIfAny(conversation));
  if (watermark.head.value > head.last_seq) return {};
  return StoreWatermark(pool_, head.key, consumer, watermark);
}

}  // namespace turnlog
