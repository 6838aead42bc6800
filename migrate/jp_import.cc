#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/try.h"
#include "migrate/import_run.h"
#include "migrate/jp_directory.h"
#include "migrate/jp_history.h"
#include "migrate/jp_imports.h"
#include "migrate/stored_events.h"
#include "turnlog/import.h"

namespace turnlog {
namespace {

std::unexpected<Error> Bad(std::string message) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(message)});
}

// Holds a source against what was imported of it before.
class Comparison {
 public:
  explicit Comparison(const JpHistory& source) : source_(source) {}

  Status Add(const StoredEvent& stored) {
    last_ = stored.seq;
    const EventKind kind = stored.event.kind();
    switch (imports_.Next(stored)) {
      case JpPart::kRecord:
        return {};
      case JpPart::kImported:
        return AddImported(stored);
      case JpPart::kOwn:
        continued_ = continued_ || (kind != EventKind::kRepair && kind != EventKind::kRedaction);
        return {};
    }
    return {};
  }

  Status Finish() const {
    if (!continued_ || imported_ >= source_.events.size()) return {};
    return Bad("has new events, but the conversation has gone on in the log since it was imported");
  }

  std::uint64_t imported() const { return imported_; }
  bool redacted() const { return redacted_; }
  Seq last() const { return last_; }

 private:
  Status AddImported(const StoredEvent& stored) {
    const std::uint64_t index = imported_++;
    if (index >= source_.events.size()) return Bad("has fewer events than were imported before");
    redacted_ = redacted_ || stored.redacted;
    if (stored.erased || stored.redacted || SameEvent(stored.event, View(source_.events[index]))) return {};
    return Bad(fmt::format("element {} is not the one that was imported before as seq {}",
                           index + (source_.packed_config ? 1 : 0), stored.seq.value));
  }

  const JpHistory& source_;
  JpImports imports_;
  std::uint64_t imported_ = 0;
  bool continued_ = false;
  bool redacted_ = false;
  Seq last_;
};

class JpImporter {
 public:
  explicit JpImporter(ImportRun& run) : run_(run) {}

  // Fails if the log does, so that there is no use in going on.
  Status Import(const JpPlace& place) {
    events_file_ = (place.path / "events.json").string();
    const auto directory = ReadJpDirectory(place);
    if (!directory) return run_.Fail({place.path.string(), {}, {}, {}, directory.error().message}), Status();
    const auto id = JpConversationId(directory->name);
    if (!id) return run_.Fail({place.path.string(), {}, {}, {}, id.error().message}), Status();
    const Status status = ImportDirectory(*directory, *id);
    return status ? status : run_.FailOrStop({events_file_, {}, {}, {}, {}}, status.error());
  }

 private:
  Status ImportDirectory(const JpDirectory& directory, const ConversationId& id) {
    const std::string fingerprint = Fingerprint(directory);
    const auto last = TURNLOG_TRY(run_.LastSeq(id));
    std::optional<JpRecord> known;
    if (last) {
      known = TURNLOG_TRY(FindLastJpRecord(run_.log(), id, *last));
      if (!known) return Bad(fmt::format("conversation {} is in the log and did not come from jp", id.text()));
      if (known->fingerprint == fingerprint) return ++run_.report().unchanged, Status();
    }
    auto history = ReadJpHistory(directory.events, !directory.files.contains("base_config.json"));
    if (!history) {
      run_.Fail({events_file_, {}, {}, history.error().byte, std::string(history.error().reason)});
      return {};
    }
    JpRecord record{directory.name,
                    directory.archived,
                    0,
                    history->redacted ? "" : fingerprint,  // else it would tell about the answer
                    history->packed_config,
                    history->trailer,
                    directory.files};
    if (known) return Extend(id, *std::move(known), std::move(record), *std::move(history));
    return Append(id, std::move(record), *std::move(history), 0, Seq{0});
  }

  Status Extend(const ConversationId& id, JpRecord known, JpRecord record, JpHistory history) {
    Comparison comparison(history);
    StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(run_.log(), id));
    while (const auto event = TURNLOG_TRY(stored.Next())) TURNLOG_TRY(comparison.Add(*event));
    TURNLOG_TRY(comparison.Finish());
    if (known.redacted || comparison.redacted()) record.fingerprint.clear();
    if (known.redacted) NoteOutside(KeepRedacted(known, record));
    known.redacted = false;
    known.events = record.events;
    known.fingerprint = record.fingerprint;
    if (comparison.imported() == history.events.size() && known == record) return ++run_.report().unchanged, Status();
    return Append(id, std::move(record), std::move(history), comparison.imported(), comparison.last());
  }

  // The events of the history from `first` on, behind the record.
  Status Append(const ConversationId& id, JpRecord record, JpHistory history, std::uint64_t first, Seq last) {
    record.events = history.events.size() - first;
    std::vector<Event> events;
    events.reserve(record.events + 1);
    events.push_back(MakeJpRecordEvent(record));
    std::move(history.events.begin() + static_cast<std::ptrdiff_t>(first), history.events.end(),
              std::back_inserter(events));
    TURNLOG_TRY(run_.Append(id, events, last));
    const std::uint64_t first_element = first == 0 ? 0 : first + (record.packed_config ? 1 : 0);
    Report(std::move(history.problems), first_element, run_.report().problems);
    Report(std::move(history.notes), first_element, run_.report().notes);
    return {};
  }

  void NoteOutside(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      run_.report().notes.push_back({events_file_, {}, {}, {}, name + " has been redacted in the log and stays so"});
    }
  }

  // What was found in elements that came in before has been reported before.
  void Report(std::vector<ImportProblem> found, std::uint64_t first_element, std::vector<ImportProblem>& to) {
    for (ImportProblem& problem : found) {
      if (problem.element.value_or(0) < first_element) continue;
      problem.file = events_file_;
      to.push_back(std::move(problem));
    }
  }

  ImportRun& run_;
  std::string events_file_;  // of the conversation that is being imported
};

}  // namespace

Result<ImportReport> ImportJp(Log& log, std::span<const std::filesystem::path> paths, const ImportOptions& options) {
  ImportRun run(log);
  JpImporter importer(run);
  std::vector<JpPlace> places;
  for (const auto& path : paths) FindJpConversations(path, places, run.report().problems);
  for (std::size_t i = 0; i < places.size(); ++i) {
    TURNLOG_TRY(importer.Import(places[i]));
    if (options.progress) options.progress(i + 1, places.size());
  }
  return run.Finish();
}

}  // namespace turnlog
