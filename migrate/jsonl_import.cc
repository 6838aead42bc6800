#include <fmt/format.h>

#include <map>
#include <unordered_set>
#include <utility>

#include "base/file_system.h"
#include "base/try.h"
#include "migrate/import_run.h"
#include "migrate/json_text.h"
#include "migrate/secret_answers.h"
#include "migrate/stored_events.h"
#include "schema/json_scan.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

// One conversation's lines of one file.
struct Lines {
  std::vector<Event> events;
  std::vector<std::uint64_t> numbers;  // of the lines that the events come from
  Seq first{1};
  std::unordered_set<std::string> event_ids;
  bool broken = false;  // a line of it could not be read
};

class JsonlImporter {
 public:
  JsonlImporter(ImportRun& run, const std::filesystem::path& path) : run_(run), path_(path) {}

  // Fails if the log does.
  Status Import() {
    const auto text = ReadInput(path_);
    if (!text) return run_.Fail(At({}, {}, text.error().message)), Status();
    ReadLines(*text);
    for (auto& [name, lines] : conversations_) {
      if (lines.broken || unknown_broken_) {
        ++run_.report().failed;
        continue;
      }
      const Status status = Append(name, lines);
      if (!status) TURNLOG_TRY(run_.FailOrStop(At({}, {}, {}), status.error()));
    }
    return {};
  }

 private:
  ImportProblem At(std::optional<std::uint64_t> line, std::optional<std::uint64_t> byte, std::string reason) const {
    return {path_.string(), {}, line, byte, std::move(reason)};
  }

  void ReadLines(std::string_view text) {
    std::uint64_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = text.substr(begin, end - begin);
      ++number;
      if (SkipJsonSpace(line, 0) < line.size()) {
        if (const auto fault = ReadLine(line, number)) {
          run_.report().problems.push_back(At(number, begin + fault->byte, std::string(fault->text)));
        }
      }
      begin = end + 1;
    }
  }

  // What is wrong with the line, if anything is.
  std::optional<PlacedMessage> ReadLine(std::string_view line, std::uint64_t number) {
    const auto event = parser_.Parse(line);
    if (!event) {
      error_ = event.error().message;
      Spoil(line);
      return TakePlace(error_);
    }
    const auto& envelope = parser_.envelope();
    Lines& lines = conversations_[envelope.conversation ? std::string(*envelope.conversation) : ConversationOf(line)];
    if (envelope.seq && lines.events.empty()) lines.first = Seq{*envelope.seq};
    const std::uint64_t next = lines.first.value + lines.events.size();
    if (envelope.seq.value_or(next) != next || next == 0) return Refuse(lines, "seq: does not follow the line before");
    if (event->event_id && !lines.event_ids.emplace(*event->event_id).second) {
      return Refuse(lines, "event_id: an earlier line has it");
    }
    lines.events.push_back(Own(*event));
    lines.numbers.push_back(number);
    return std::nullopt;
  }

  std::string ConversationOf(std::string_view json) const {
    return FindJsonString(json.substr(SkipJsonSpace(json, 0)), "conversation").value_or(path_.stem().string());
  }

  static PlacedMessage Refuse(Lines& lines, std::string_view reason) {
    lines.broken = true;
    return {0, reason};
  }

  // The conversation of a line that is no event does not come in; if it cannot be told, none of the file's does.
  void Spoil(std::string_view line) {
    if (FindJsonFault(line)) {
      unknown_broken_ = true;
      if (conversations_.empty()) conversations_[path_.stem().string()];
    } else {
      conversations_[ConversationOf(line)].broken = true;
    }
  }

  Status Append(const std::string& name, Lines& lines) {
    const ConversationId id = TURNLOG_TRY(ConversationId::Parse(name));
    if (lines.first.value == 1) RedactSecrets(lines);
    const Seq last = TURNLOG_TRY(run_.LastSeq(id)).value_or(Seq{0});
    if (lines.first.value > last.value + 1) {
      return Bad(lines, 0,
                 fmt::format("begins at seq {}, but the log has {} events of it", lines.first.value, last.value));
    }
    const std::size_t known = TURNLOG_TRY(CountKnown(id, lines, last));
    if (known == lines.events.size()) return ++run_.report().unchanged, Status();
    return run_.Append(id, std::span(lines.events).subspan(known), last);
  }

  // How many of the lines are in the log already; fails if the log has something else in their place.
  Result<std::size_t> CountKnown(const ConversationId& id, const Lines& lines, Seq last) {
    std::size_t known = 0;
    if (lines.first > last) return known;
    StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(run_.log(), id, lines.first));
    while (known < lines.events.size()) {
      const auto event = TURNLOG_TRY(stored.Next());
      if (!event) break;
      if (!event->erased && !event->redacted && !SameEvent(event->event, View(lines.events[known]))) {
        return Bad(lines, known, fmt::format("not the event that is in the log as seq {}", event->seq.value));
      }
      ++known;
    }
    return known;
  }

  static std::unexpected<Error> Bad(const Lines& lines, std::size_t index, std::string_view reason) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument, fmt::format("line {}: {}", lines.numbers[index], reason)});
  }

  void RedactSecrets(Lines& lines) {
    for (const std::size_t i : RedactSecretAnswers(lines.events)) {
      run_.report().notes.push_back(At(lines.numbers[i], {}, "the answer to a secret question was redacted"));
    }
  }

  ImportRun& run_;
  const std::filesystem::path& path_;
  EventParser parser_;
  std::map<std::string, Lines> conversations_;
  bool unknown_broken_ = false;
  std::string error_;
};

}  // namespace

Result<ImportReport> ImportJsonl(Log& log, std::span<const std::filesystem::path> paths, const ImportOptions& options) {
  ImportRun run(log);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    TURNLOG_TRY(JsonlImporter(run, paths[i]).Import());
    if (options.progress) options.progress(i + 1, paths.size());
  }
  return run.Finish();
}

}  // namespace turnlog
