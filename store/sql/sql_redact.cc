// Erasing and redacting: rows are overwritten in one transaction. The database keeps their old versions until the files
// are rewritten (PurgeErased).
#include <fmt/format.h>

#include "base/secret_string.h"
#include "base/try.h"
#include "log/append_checks.h"
#include "schema/event/codec.h"
#include "store/sql/sql_log.h"

namespace turnlog {
namespace {

std::unexpected<Error> Refuse(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

// The event with other contents.
EventRow Replaced(const ConversationKey& key, const EventRow& was, EventState state, std::string_view payload,
                  std::uint64_t payload_hash) {
  EventRow row = was;
  row.state = state;
  row.payload = payload;
  row.parts = PartsOf(payload.size());
  row.checksum = EventChecksum(key, row, payload_hash);
  return row;
}

}  // namespace

struct SqlLog::StoredEvents {
  struct One {
    EventRow row;  // without its payload
    IndexedFields fields;
    std::uint64_t bytes = 0;  // of its current payload; 0: erased
  };
  struct Row {
    StoredRow stored;
    std::unique_ptr<SecretString> payload;  // of several events
  };

  // Remembers the row of an event, unless it is that of the event before.
  void Hold(const StoredRow& stored);
  // Adds the changes to the transaction. `changed`: new contents, ascending; all of them are in `rows`.
  Status Replace(SqlTransaction& transaction, const ConversationHead& head, std::span<const EventRow> changed) const;

  std::vector<One> events;
  std::vector<Row> rows;
};

void SqlLog::StoredEvents::Hold(const StoredRow& stored) {
  if (!rows.empty() && rows.back().stored.row.seq == stored.row.seq) return;
  Row& row = rows.emplace_back(Row{.stored = stored, .payload = nullptr});
  row.stored.row.payload = {};
  if (stored.events == 1) return;
  row.payload = std::make_unique<SecretString>(stored.row.payload);
  row.stored.row.payload = row.payload->view();
}

Status SqlLog::StoredEvents::Replace(SqlTransaction& transaction, const ConversationHead& head,
                                     std::span<const EventRow> changed) const {
  for (const Row& row : rows) {
    const StoredRow& stored = row.stored;
    std::vector<EventRow> now;
    for (std::uint64_t seq = stored.row.seq; seq < stored.row.seq + stored.events; ++seq) {
      if (!changed.empty() && changed.front().seq == seq) {
        now.push_back(changed.front());
        changed = changed.subspan(1);
        continue;
      }
      const auto kept = EventAt(stored, seq);
      if (!kept) {
        return Refuse(ErrorCode::kCorruption,
                      fmt::format("turnlog_event: the entry of event {} of \"{}\" is damaged", seq, head.name));
      }
      now.push_back(*kept);
    }
    transaction.Replace(head.key, stored, now);
  }
  return {};
}

template <class ChangeFn>
auto SqlLog::Change(ChangeFn change) {
  for (ConnectionPool::Retry retry(pool_);;) {
    auto done = change();
    using Value = typename decltype(done)::value_type;
    if (done) return Result<Value>(*std::move(done));
    if (!retry.Again(done.error())) return Result<Value>(std::unexpected(Error(done.error())));
  }
}

SqlResult<ConversationHead> SqlLog::HeadToChange(const ConversationId& conversation,
                                                 const std::optional<Seq>& expected) {
  ConversationHead head = TURNLOG_TRY(FindHeadOf(conversation));
  TURNLOG_TRY(CheckExpected(expected, head.last_seq));
  return head;
}

Result<SqlLog::StoredEvents> SqlLog::FindStored(const ConversationHead& head, std::span<const std::uint64_t> seqs) {
  if (!seqs.empty() && (seqs.front() == 0 || seqs.back() > head.last_seq)) {
    return Refuse(ErrorCode::kNotFound, fmt::format("conversation \"{}\" has no event {}: its last one is {}",
                                                    head.name, seqs.front() == 0 ? 0 : seqs.back(), head.last_seq));
  }
  StoredEvents found;
  for (std::size_t next = 0; next < seqs.size();) {
    std::size_t end = next + 1;  // of seqs without gaps
    while (end < seqs.size() && seqs[end] == seqs[end - 1] + 1) ++end;
    EventReader reader(pool_, head.key, head.name, {seqs[next], seqs[end - 1]}, false);
    for (; next < end; ++next) {
      const Item item = TURNLOG_TRY(reader.Next());
      if (const auto* damage = std::get_if<Damage>(&item)) return Refuse(ErrorCode::kCorruption, ToString(*damage));
      found.Hold(reader.stored());
      StoredEvents::One& event =
          found.events.emplace_back(StoredEvents::One{.row = reader.row(), .fields = {.kind = reader.row().kind}});
      event.row.payload = {};
      const auto* record = std::get_if<Record>(&item);
      if (record == nullptr) continue;
      event.bytes = record->payload.size();
      if (const auto decoded = DecodeEvent(record->payload)) {
        event.fields = IndexedFieldsOf(*decoded, event.bytes, store_.salt());
      }
    }
  }
  return found;
}

Result<EraseReport> SqlLog::Erase(const ConversationId& conversation, std::span<const Seq> seqs,
                                  const EraseOptions& options) {
  TURNLOG_TRY(MustBeWritable());
  const std::vector<std::uint64_t> sorted = SortedSeqs(seqs);
  EraseReport in_doubt;
  return Change([&] { return TryErase(conversation, sorted, options, in_doubt); });
}

SqlResult<EraseReport> SqlLog::TryErase(const ConversationId& conversation, std::span<const std::uint64_t> seqs,
                                        const EraseOptions& options, EraseReport& in_doubt) {
  const ConversationHead head = TURNLOG_TRY(HeadToChange(conversation, options.expected_last));
  EraseReport report;
  SqlTransaction transaction(Durability::kSync);
  transaction.Guard(head);
  transaction.MarkUnpurged();
  const StoredEvents stored = TURNLOG_TRY(FindStored(head, seqs));
  std::vector<EventRow> erased;
  for (const StoredEvents::One& event : stored.events) {
    if (event.bytes == 0) {
      erased.push_back(event.row);
      continue;
    }
    if (event.row.kind == EventKind::kRepair || event.row.kind == EventKind::kRedaction) {
      return Refuse(ErrorCode::kInvalidArgument, fmt::format("event {} of \"{}\" is a `{}`: it cannot be erased",
                                                             event.row.seq, head.name, ToString(event.row.kind)));
    }
    ++report.events;
    report.bytes += event.bytes;
    erased.push_back(Replaced(head.key, event.row, EventState::kErased, {}, Hash64({})));
  }
  ConnectionPool::Lease connection = TURNLOG_TRY(pool_.Take());
  if (report.events == 0) {
    TURNLOG_TRY(FlushLane(*connection, head.key.lane));
    return in_doubt;
  }
  TURNLOG_TRY(stored.Replace(transaction, head, erased));
  const auto done = transaction.Commit(*connection);
  if (done) return report;
  if (done.error().kind() == SqlFailureKind::kLost) in_doubt = report;
  return std::unexpected(done.error());
}

struct SqlLog::Redaction {
  std::vector<std::uint64_t> seqs;
  PreparedEvents replacements;  // one for each of `seqs`
  PreparedEvents event;         // the `redaction` event
  std::uint64_t tag = 0;
  std::vector<RedactReport> in_doubt;  // of attempts whose acknowledgement was lost
};

Result<RedactReport> SqlLog::Redact(const ConversationId& conversation, std::span<const Replacement> replacements,
                                    const EventView& event, const RedactOptions& options) {
  TURNLOG_TRY(MustBeWritable());
  TURNLOG_TRY(CheckRedaction(replacements, event));
  Redaction redaction;
  std::vector<EventView> views;
  for (const Replacement& replacement : replacements) {
    redaction.seqs.push_back(replacement.seq.value);
    views.push_back(replacement.event);
  }
  redaction.replacements = TURNLOG_TRY(PreparedEvents::Make(views, store_.salt()));
  redaction.event = TURNLOG_TRY(PreparedEvents::Make({&event, 1}, store_.salt()));
  redaction.tag = NewAppendTag();
  auto report = Change([&] { return TryRedact(conversation, redaction, options); });
  appender_.Forget(ConversationKey::Of(store_, conversation.text()));  // the redaction is an event of its own
  if (report) OnAppend();
  return report;
}

SqlResult<RedactReport> SqlLog::TryRedact(const ConversationId& conversation, Redaction& redaction,
                                          const RedactOptions& options) {
  const ConversationHead head = TURNLOG_TRY(FindHeadOf(conversation));
  for (const RedactReport& attempt : redaction.in_doubt) {
    ConnectionPool::Lease connection = TURNLOG_TRY(pool_.Take());
    if (!TURNLOG_TRY(IsAppended(*connection, head.key, attempt.redaction.value, redaction.tag))) continue;
    TURNLOG_TRY(FlushLane(*connection, head.key.lane));
    return attempt;
  }
  const StoredEvents stored = TURNLOG_TRY(FindStored(head, redaction.seqs));
  for (std::size_t i = 0; i < stored.events.size(); ++i) {
    const StoredEvents::One& event = stored.events[i];
    const std::uint64_t seq = event.row.seq;
    if (event.bytes == 0) {
      return Refuse(ErrorCode::kInvalidArgument, fmt::format("event {} of \"{}\" is erased", seq, head.name));
    }
    const std::string_view changed = ChangedField(event.fields, redaction.replacements.events[i].fields);
    if (changed.empty()) continue;
    return Refuse(ErrorCode::kInvalidArgument,
                  fmt::format("the replacement of event {} of \"{}\" changes its {}", seq, head.name, changed));
  }
  TURNLOG_TRY(CheckExpected(options.expected_last, head.last_seq));

  redaction.event.events.front().result.seq = {head.last_seq + 1};
  const AppendPlan plan = PlanAppend(head, redaction.event, redaction.tag);
  SqlTransaction transaction(Durability::kSync);
  transaction.Append(plan);
  transaction.MarkUnpurged();
  RedactReport report{.redaction = {head.last_seq + 1}};
  std::vector<EventRow> redacted;
  for (std::size_t i = 0; i < stored.events.size(); ++i) {
    const PreparedEvents::One& one = redaction.replacements.events[i];
    const StoredEvents::One& event = stored.events[i];
    report.bytes += event.bytes;
    redacted.push_back(Replaced(head.key, event.row, EventState::kRedacted, one.payload, one.hash));
  }
  TURNLOG_TRY(stored.Replace(transaction, head, redacted));
  ConnectionPool::Lease connection = TURNLOG_TRY(pool_.Take());
  const auto done = transaction.Commit(*connection);
  if (done) return report;
  if (done.error().kind() == SqlFailureKind::kLost) redaction.in_doubt.push_back(report);
  return std::unexpected(done.error());
}

}  // namespace turnlog
