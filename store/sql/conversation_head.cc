#include "store/sql/conversation_head.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "base/try.h"
#include "log/open_inquiries_coding.h"

namespace turnlog {
namespace {

const SqlStatement& FindStatement() {
  static const SqlStatement statement{
      "turnlog_head_find",
      fmt::format("SELECT {} FROM turnlog_head h WHERE h.lane = $1 AND h.conv = $2", HeadColumns("h"))};
  return statement;
}

std::optional<Timestamp> TimeIn(const SqlRows& rows, std::size_t row, int column) {
  if (rows.IsNull(row, column)) return std::nullopt;
  return Timestamp{std::bit_cast<std::int64_t>(rows.Integer(row, column))};
}

std::unexpected<Error> Damaged(std::string_view name, std::string_view reason) {
  return std::unexpected(
      Error{ErrorCode::kCorruption, fmt::format("turnlog_head: the row of conversation \"{}\" {}", name, reason)});
}

}  // namespace

ConversationKey ConversationKey::Of(const SqlStoreIdentity& store, std::string_view name) {
  const Hash128 conv = HashId(name, store.salt());
  return {.lane = static_cast<std::uint32_t>(conv.low % store.lanes), .conv = conv};
}

SqlParams ConversationKey::Params() const {
  SqlParams params;
  params.Int(static_cast<std::int32_t>(lane)).Uuid(conv);
  return params;
}

ConversationInfo ConversationHead::Info() const {
  return {
      .id = name, .last = {last_seq}, .turns = turns, .bytes = bytes, .first_time = first_time, .last_time = last_time};
}

std::string HeadColumns(std::string_view table) {
  return fmt::format(
      "{0}.lane, {0}.conv, {0}.name, {0}.last_seq, {0}.turns, {0}.bytes, {0}.repairs, {0}.first_time, {0}.last_time, "
      "{0}.tag, {0}.open",
      table);
}

Result<ConversationHead> HeadIn(const SqlRows& rows, std::size_t row) {
  ConversationHead head{.key = {.lane = static_cast<std::uint32_t>(rows.Integer(row, 0)), .conv = rows.Uuid(row, 1)},
                        .name = std::string(rows.Bytes(row, 2)),
                        .last_seq = rows.Integer(row, 3),
                        .turns = rows.Integer(row, 4),
                        .bytes = rows.Integer(row, 5),
                        .repairs = rows.Integer(row, 6),
                        .first_time = TimeIn(rows, row, 7),
                        .last_time = TimeIn(rows, row, 8),
                        .tag = rows.Integer(row, 9)};
  Decoder in{rows.Bytes(row, 10)};
  if (!in.bytes.empty()) head.open = TakeOpenInquiries(in);
  if (!in.ok || !in.bytes.empty()) return Damaged(head.name, "is damaged");
  return head;
}

SqlCall FindHead(const ConversationKey& key) { return {&FindStatement(), key.Params()}; }

Result<ConversationHead> HeadFound(const SqlRows& rows, const ConversationKey& key, std::string_view name) {
  if (rows.size() == 0) return ConversationHead{.key = key, .name = std::string(name)};
  ConversationHead head = TURNLOG_TRY(HeadIn(rows, 0));
  if (head.name != name || head.key != key) return Damaged(name, "is of another conversation");
  return head;
}

std::string EncodeOpen(const OpenInquiries& open) {
  std::string bytes;
  if (!open.empty() || !open.secrets().empty()) AppendOpenInquiries(bytes, open);
  return bytes;
}

}  // namespace turnlog
