#include <algorithm>
#include <array>
#include <string>

#include "doctor/session_checks.h"
#include "schema/json/json_writer.h"
#include "turnlog/doctor/doctor.h"

namespace turnlog {
namespace {

constexpr std::array kRules{
    SessionRule{"torn-line", Verdict::kRefused, "The last record is complete.",
                "Remove what is there of it; in a document, close the list."},
    SessionRule{"damaged-bytes", Verdict::kRefused, "Each line is one JSON object, and each element a JSON value.",
                "Remove the bytes that are part of no record: NUL bytes, a record that was cut."},
    SessionRule{"joined-lines", Verdict::kRefused, "Each record has a line of its own.",
                "Put a line break between the records."},
    SessionRule{"invalid-text", Verdict::kRefused, "Texts are UTF-8 without single surrogates.",
                "Replace what is no text by U+FFFD."},
    SessionRule{"byte-order-mark", Verdict::kRefused, "A line begins with its record, not with a byte order mark.",
                "Remove the mark."},
    SessionRule{"no-final-newline", Verdict::kRisk,
                "The last line ends with a line break: otherwise the next record is written onto it.",
                "Add the line break."},
    SessionRule{"duplicate-record", Verdict::kRisk, "No record of a message is in the file twice.",
                "Remove the second one, if it has the same bytes."},
    SessionRule{
        "conflicting-record", Verdict::kRisk, "No two records have one `uuid`: the tool loads only the last.", {}},
    SessionRule{"broken-chain", Verdict::kRefused,
                "The `parentUuid` of a record is in the file: the tool loads nothing before a gap.",
                "Name the record before it, unless sidechains are mixed there."},
    SessionRule{"open-call", Verdict::kRisk,
                "The last calls have results: otherwise a session that is not running is refused when it goes on.",
                "With --close-open, add a result that says that the call was interrupted."},
    SessionRule{"ui-incomplete-call", Verdict::kRefused,
                "A call of an earlier message has an outcome: otherwise the messages cannot be sent.",
                "Give it the outcome that it was interrupted."},
    SessionRule{
        "codex-header", Verdict::kRefused, "A session begins with its `session_meta`: Codex does not list others.", {}},
    SessionRule{"codex-name", Verdict::kRisk, "The name of the file has the id of the session.", {}},
    SessionRule{"codex-ordinals", Verdict::kRefused,
                "Numbered records have consecutive numbers: Codex shows a session up to the first gap.",
                "Number the records again."},
    SessionRule{"torn-document", Verdict::kRefused, "A file with one JSON object has all of it.",
                "Close it after what can be read of it; a file with nothing in it stays as it is."},
    SessionRule{"gemini-header",
                Verdict::kRefused,
                "A record has the `sessionId`: Gemini CLI does not list sessions without one.",
                {}},
    SessionRule{"gemini-rewind", Verdict::kRefused,
                "What a `$rewindTo` names is in the file: otherwise Gemini CLI drops all messages before it.",
                "Remove the record."},
    SessionRule{"opencode-field",
                Verdict::kRefused,
                "Messages, parts and calls have the fields without which opencode cannot show or import them.",
                {}},
    SessionRule{"opencode-data", Verdict::kRefused,
                "The `data` of a row is a JSON object: otherwise opencode does not load the session.",
                "Of a part that is certainly no JSON: put a text that says so in its place."},
    SessionRule{"jp-element", Verdict::kRefused,
                "jp can read each element: one that it cannot makes it refuse the conversation.",
                "Add the time, remove fields that a `turn_start` must not have, or give it a kind that jp does not "
                "know and keeps as it is."},
    SessionRule{"jp-metadata",
                Verdict::kRefused,
                "metadata.json has `last_activated_at`: otherwise jp moves the conversation into its trash.",
                {}},
    SessionRule{"jp-old-layout", Verdict::kRisk,
                "The events are in events.json: jp of today does not read the messages.json of 2025.",
                "Import it, and export it with --format jp."},
    SessionRule{"agents-row", Verdict::kRisk,
                "The `message_data` of a row is a JSON object: the Agents SDK leaves out others, or sends what the API "
                "refuses.",
                "Remove the row if it is certainly no JSON."},
    SessionRule{"damaged-database", Verdict::kRefused, "SQLite finds no fault in the database.",
                "Copy the rows that can be read."},
    SessionRule{"langgraph-missing-result", Verdict::kRefused,
                "In the newest checkpoint, each call that the conversation went on after has a ToolMessage.",
                "Add one with the graph's update_state."},
    SessionRule{"langgraph-stray-result", Verdict::kRefused,
                "In the newest checkpoint, each ToolMessage follows the call that it answers.",
                "Remove it with the graph's update_state and RemoveMessage."},
    SessionRule{"langgraph-unreadable", Verdict::kRisk, "The newest checkpoint can be read: it is JSON or MessagePack.",
                "Go on from the checkpoint before it."},
    SessionRule{
        "late-append", Verdict::kRefused, "Nothing was appended to the backup after the file was replaced.",
        "Of JSON lines, with --in-place: append it to the file. A document stays as it is, and the backup is kept."},
    SessionRule{"unredacted-backup", Verdict::kRisk,
                "No backup of a redacted file is left: a run with --redact was stopped, or a process has it open.",
                "With --in-place: remove it as soon as no process has it open."},
    SessionRule{"renamed-folder", Verdict::kRisk,
                "With --relocate: `cwd` fields name the folder by its new name; otherwise the tool lists the session "
                "elsewhere.",
                "Write the new name."},
    SessionRule{"index-missing-entry", Verdict::kRisk,
                "A session's file is in the index of its tool: otherwise the tool does not list it.",
                "With --in-place: of Codex, add a row; of Claude Code, put sessions-index.json aside, which it makes "
                "again; not with --redact."},
    SessionRule{"index-missing-file", Verdict::kRisk, "A session in the index of its tool has a file.",
                "Restore the file. With --in-place: of Claude Code, put sessions-index.json aside."},
    SessionRule{"index-moved-file", Verdict::kRisk, "The index of Codex names the file of a session by its path.",
                "With --in-place: write the path where the file is."},
    SessionRule{"project-folder", Verdict::kRisk,
                "A session of Claude Code is in the folder named after its `cwd`: otherwise it is not listed there.",
                "If the project's folder was renamed, give --relocate."},
};

}  // namespace

std::span<const SessionRule> SessionRules() { return kRules; }

const SessionRule* FindSessionRule(std::string_view id) {
  const auto found = std::ranges::find(kRules, id, &SessionRule::id);
  return found == kRules.end() ? nullptr : &*found;
}

std::string JsonToken(std::string_view text) {
  std::string token;
  AppendJsonString(text, token);
  return token;
}

}  // namespace turnlog
