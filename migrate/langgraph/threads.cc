#include "migrate/langgraph/threads.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "base/try.h"
#include "migrate/langgraph/converter.h"
#include "migrate/langgraph/interrupt.h"
#include "migrate/langgraph/msgpack.h"
#include "migrate/sqlite/row_reader.h"
#include "migrate/sqlite/row_versions.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

// A thread of a database, in one of its namespaces.
struct Thread {
  std::shared_ptr<const Database> database;
  std::string id, space;

  std::string Conversation() const { return space.empty() ? id : fmt::format("{}/{}", id, space); }
  // A query whose first two parameters are the thread and the namespace.
  Result<Statement> Prepare(std::string_view sql) const {
    Statement rows = TURNLOG_TRY(database->Prepare(sql));
    rows.Bind(1, id);
    rows.Bind(2, space);
    return rows;
  }
};

// The writes of a checkpoint as they were made. A table without rowids does not tell the order of tasks: a question
// comes before the resume (-3, -4), and both before results.
std::string InOrder(const Database& database) {
  return database.HasRowids("writes") ? "ORDER BY rowid" : "ORDER BY idx>=0, abs(idx), task_id";
}

// A value that is serialized as `type` says; nothing if it is kept as bytes.
std::optional<std::string> Deserialize(std::string_view type, std::string_view bytes) {
  if (type == "json" && !FindJsonFault(bytes)) return std::string(bytes);
  return type == "msgpack" ? MsgpackToJson(bytes) : std::nullopt;
}

// A row with its values deserialized.
std::string RowWithValues(std::string_view table, const Statement& row) {
  std::string json = R"({"table":)";
  AppendJsonString(table, json);
  std::string_view type;
  for (int column = 0; column < row.columns(); ++column) {
    if (row.Name(column) == "type") type = row.Text(column);
  }
  for (int column = 0; column < row.columns(); ++column) {
    const std::string_view name = row.Name(column);
    json.push_back(',');
    AppendJsonString(name, json);
    json.push_back(':');
    const std::string_view how = name == "checkpoint" || name == "value" ? type : name == "metadata" ? "json" : "";
    auto value = Deserialize(how, row.Text(column));
    value ? void(json += *value) : row.AppendJson(column, json);
  }
  return json + "}";
}

// The rows of one thread: each checkpoint, then what was written after it.
class ThreadRows {
 public:
  // `tasks`: of the writes that are read.
  ThreadRows(Thread thread, std::shared_ptr<InterruptedTasks> tasks)
      : thread_(std::move(thread)), tasks_(std::move(tasks)) {}

  Result<std::optional<std::string>> operator()() {
    if (!checkpoints_) TURNLOG_TRY(Begin());
    if (in_writes_ && TURNLOG_TRY(writes_->Step())) {
      if (!in_interrupted_ && writes_->Text(writes_->ColumnOf("channel")) == "__interrupt__") TURNLOG_TRY(FindTasks());
      return RowWithValues("writes", *writes_);
    }
    in_writes_ = in_interrupted_ = false;
    if (!TURNLOG_TRY(checkpoints_->Step())) return std::nullopt;
    checkpoint_ = checkpoints_->Text(checkpoints_->ColumnOf("checkpoint_id"));
    writes_->Restart();
    writes_->Bind(3, checkpoint_);
    in_writes_ = true;
    return RowWithValues("checkpoints", *checkpoints_);
  }

 private:
  Status Begin() {
    checkpoints_ = std::make_shared<Statement>(TURNLOG_TRY(
        thread_.Prepare("SELECT * FROM checkpoints WHERE thread_id=?1 AND checkpoint_ns=?2 ORDER BY checkpoint_id")));
    writes_ = std::make_shared<Statement>(TURNLOG_TRY(
        thread_.Prepare("SELECT * FROM writes WHERE thread_id=?1 AND checkpoint_ns=?2 AND checkpoint_id=?3 " +
                        InOrder(*thread_.database))));
    return {};
  }

  // Before the first question of the checkpoint: what is written after it shows which one of its task it is.
  Status FindTasks() {
    in_interrupted_ = true;
    tasks_->Clear();
    Statement rows = TURNLOG_TRY(
        thread_.Prepare("SELECT task_id, channel, idx, type, CASE channel WHEN '__resume__' THEN value END FROM writes "
                        "WHERE thread_id=?1 AND checkpoint_ns=?2 AND checkpoint_id=?3 " +
                        InOrder(*thread_.database)));
    rows.Bind(3, checkpoint_);
    for (;;) {
      const auto row = rows.Step();
      if (!row && row.error().code == ErrorCode::kCorruption) return {};  // reported where the row is read
      if (!TURNLOG_TRY(row)) return {};
      const auto value = Deserialize(rows.Text(3), rows.Text(4));
      tasks_->Add({.task = rows.Text(0),
                   .channel = rows.Text(1),
                   .index = rows.Integer(2),
                   .answers = value && value->starts_with('[') ? ElementsOf(*value).size() : 0});
    }
    return {};
  }

  Thread thread_;
  std::string checkpoint_;
  std::shared_ptr<InterruptedTasks> tasks_;
  std::shared_ptr<Statement> checkpoints_, writes_;  // shared because a std::function can be copied
  bool in_writes_ = false;
  bool in_interrupted_ = false;  // the tasks are those of the checkpoint
};

// The writes of one thread whose checkpoint is missing, each named after the key of its row.
class UnownedWrites {
 public:
  explicit UnownedWrites(Thread thread) : thread_(std::move(thread)) {}

  Result<std::optional<RowReader::NamedRow>> operator()() {
    if (!rows_) {
      rows_ = std::make_shared<Statement>(TURNLOG_TRY(thread_.Prepare(
          "SELECT * FROM writes WHERE thread_id=?1 AND checkpoint_ns=?2 AND NOT EXISTS (SELECT 1 FROM checkpoints c "
          "WHERE c.thread_id=?1 AND c.checkpoint_ns=?2 AND c.checkpoint_id=writes.checkpoint_id) "
          "ORDER BY checkpoint_id, task_id, idx")));
    }
    if (!TURNLOG_TRY(rows_->Step())) return std::nullopt;
    std::string name = "writes";
    for (const std::string_view key : {"checkpoint_id", "task_id", "idx"}) {
      name.append("/").append(rows_->Text(rows_->ColumnOf(key)));
    }
    return RowReader::NamedRow{std::move(name), RowWithValues("writes", *rows_) + "\n"};
  }

 private:
  Thread thread_;
  std::shared_ptr<Statement> rows_;  // shared because a std::function can be copied
};

// Reads what is damaged, or not readable now, as if it were not there: that is reported where the rows are read.
class ThreadCheckpoints final : public LaterCheckpoints {
 public:
  explicit ThreadCheckpoints(Thread thread) : thread_(std::move(thread)) {}

  bool Any(std::string_view checkpoint) const override {
    auto rows = After(checkpoint);
    return rows && rows->Step().value_or(false);
  }

  std::optional<ChannelKind> KindOf(std::string_view checkpoint, const std::string& channel) const override {
    auto rows = After(checkpoint);
    while (rows && rows->Step().value_or(false)) {
      const std::string text = RowWithValues("checkpoints", *rows);
      const auto record = JsonObject::Parse(std::string_view(text));
      if (const auto kind = record ? ChannelKindIn(*record, channel) : std::nullopt) return kind;
    }
    return std::nullopt;
  }

 private:
  Result<Statement> After(std::string_view checkpoint) const {
    Statement rows = TURNLOG_TRY(
        thread_.Prepare("SELECT * FROM checkpoints WHERE thread_id=?1 AND checkpoint_ns=?2 AND checkpoint_id>?3 "
                        "ORDER BY checkpoint_id"));
    rows.Bind(3, checkpoint);
    return rows;
  }

  Thread thread_;
};

// How many pickled values a thread has, as far as its rows can be read. Pickle can run programs when it is read, so it
// is not.
Result<std::int64_t> CountPickled(const Thread& thread) {
  const auto count_in = [&](std::string_view table) -> Result<std::int64_t> {
    Statement rows = TURNLOG_TRY(thread.Prepare(
        fmt::format("SELECT count(*) FROM {} WHERE thread_id=?1 AND checkpoint_ns=?2 AND type LIKE 'pickle%'", table)));
    return TURNLOG_TRY(rows.Step()) ? rows.Integer(0) : 0;
  };
  std::int64_t sum = 0;
  for (const std::string_view table : {"checkpoints", "writes"}) {
    const auto count = count_in(table);
    if (!count && count.error().code != ErrorCode::kCorruption) return count;
    sum += count.value_or(0);  // damage is reported where the rows are read
  }
  return sum;
}

// Empty: nothing is.
std::string WhyRefused(std::string_view conversation, std::int64_t pickled) {
  if (pickled == 0) return {};
  return fmt::format(
      "thread \"{}\" is left out: {} of its values {} in Python's pickle format, which is not read, because "
      "that can run programs. Write the thread again with LangGraph's JsonPlusSerializer",
      conversation, pickled, pickled == 1 ? "is" : "are");
}

// Unknown if threads have checkpoints in common: those are copies in the second one, and all must be read to see it.
// Rows are replaced, never changed in place, and the id of a checkpoint is its own in all databases; without rowids a
// replaced one would not show.
RowVersions VersionsOf(const Database& database) {
  RowVersions versions;
  auto copies = database.Prepare("SELECT count(*) - count(DISTINCT checkpoint_id) FROM checkpoints");
  if (!copies || !copies->Step().value_or(false) || copies->Integer(0) > 0) return versions;
  for (const std::string_view table : {"checkpoints", "writes"}) {
    if (!database.HasRowids(table)) return {};
    versions.Add(database,
                 fmt::format("SELECT CASE checkpoint_ns WHEN '' THEN thread_id ELSE thread_id || '/' || "
                             "checkpoint_ns END, count(*), max(rowid), min(checkpoint_id), max(checkpoint_id) "
                             "FROM {} GROUP BY 1",
                             table));
  }
  return versions;
}

RecordFile ThreadFile(Source& source, const Thread& thread) {
  auto tasks = std::make_shared<InterruptedTasks>();
  auto later = std::make_unique<ThreadCheckpoints>(thread);
  RecordFile file{.file = &source.files.front(),
                  .conversation = thread.Conversation(),
                  .converter = std::make_unique<LangGraphConverter>(tasks, std::move(later))};
  file.find_refusal = [thread]() -> Result<std::string> {
    return WhyRefused(thread.Conversation(), TURNLOG_TRY(CountPickled(thread)));
  };
  file.rows = std::make_unique<RowReader>(ThreadRows(thread, std::move(tasks)), UnownedWrites(thread));
  if (!thread.space.empty()) file.parts.push_back({.name = std::string(kParentPart), .bytes = thread.id});
  return file;
}

}  // namespace

Result<std::vector<RecordFile>> LangGraphThreads(Source& source) {
  std::shared_ptr<const Database> database = TURNLOG_TRY(Database::Open(source));
  if (!database->HasTable("checkpoints", {"thread_id", "checkpoint_ns", "checkpoint_id", "type", "checkpoint"}) ||
      !database->HasTable("writes",
                          {"thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx", "channel", "value"})) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "no tables with checkpoints of LangGraph"});
  }
  const RowVersions versions = VersionsOf(*database);
  std::vector<RecordFile> files;
  const auto add = [&](const Statement& row) {
    files.push_back(ThreadFile(source, {database, std::string(row.Text(0)), std::string(row.Text(1))}));
    files.back().version = versions.Of(files.back().conversation);
  };
  Statement threads =
      TURNLOG_TRY(database->Prepare("SELECT DISTINCT thread_id, checkpoint_ns FROM checkpoints ORDER BY 1, 2"));
  while (TURNLOG_TRY(threads.Step())) add(threads);
  TURNLOG_TRY(ListOthers(database->Prepare("SELECT thread_id, checkpoint_ns FROM writes EXCEPT "
                                           "SELECT thread_id, checkpoint_ns FROM checkpoints ORDER BY 1, 2"),
                         add, files));
  RefuseRepeatedNames("thread", files);
  return files;
}

}  // namespace turnlog
