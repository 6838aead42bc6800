#include "logctl/command.h"

namespace turnlog {
namespace {

constexpr Command kCommands[] = {
    {"import", "Bring histories in; again adds what is new and nothing else",
     R"(jp: conversations of jp, a folder of them, or a whole .jp; jsonl: files of JSON lines, one event each.
What cannot be read is named and the rest still comes in (exit code 1).

Example:
  logctl --store my.log import jp ~/project/.jp)",
     DefineImport},
    {"export", "Take histories out, in the form they came in",
     R"(What was imported and not changed goes out byte by byte as it came. This version repairs nothing yet, so that
with and without --raw the log itself goes out.

Example:
  logctl export --all --format jsonl > all.jsonl
  logctl export 17648402467 --format jp --to out/)",
     DefineExport},
    {"append", "Append events, JSON lines from standard input",
     R"(All lines are appended together, or none. The fields "conversation" and "seq" that `cat` puts around
an event are ignored; an event whose event_id is known is not written twice.

Example:
  echo '{"type":"chat_request","content":"hello"}' | logctl append my-conversation)",
     DefineAppend},
    {"ls", "List the conversations", "Example:\n  logctl ls", DefineLs},
    {"show", "A conversation as a readable timeline",
     R"(Times are UTC. Long reasoning and tool results are shortened; control characters in stored text
are shown as \x1b and the like.
This version repairs nothing yet, so that with and without --raw the log itself is shown.

Example:
  logctl show 17648402467 --last-turns 2)",
     DefineShow},
    {"cat", "The events of a conversation as JSON lines",
     R"(This version repairs nothing yet, so that with and without --raw the log itself is shown.

Example:
  logctl cat 17648402467 --turn 3 | jq .type)",
     DefineCat},
    {"get", "One inquiry, with its outcome in every turn",
     R"(States: answered, cancelled, redacted; pending; orphaned (never answered, its turn is over); stray (an
answer without a question in its turn); unreadable (damaged).

Example:
  logctl get my-conversation call_1.overwrite.1
  logctl get my-conversation --tool-call call_1 --question overwrite)",
     DefineGet},
    {"pending", "The inquiries that wait for an answer", "Example:\n  logctl pending", DefinePending},
    {"tail", "What was appended, in order, as JSON lines",
     R"(Says on standard error where it stopped; go on from there later with --from.

Example:
  logctl tail -f
  logctl tail --from 1f40-5be2d6a1c3f09e77)",
     DefineTail},
    {"sanitize", "What does not fit together, and how it would be repaired",
     "Example:\n  logctl sanitize --profile jp082 --dry-run", DefineSanitize},
    {"verify", "Read everything and say what is damaged and what is intact",
     "Exit code 1 if anything is damaged. Works beside a writer.\n\nExample:\n  logctl verify", DefineVerify},
    {"reindex", "Make the index anew from the log", "Needs the store for itself.\n\nExample:\n  logctl reindex",
     DefineReindex},
    {"stats", "Sizes and counts of the store", "Example:\n  logctl stats", DefineStats},
};

}  // namespace

std::span<const Command> Commands() { return kCommands; }

}  // namespace turnlog
