#include "logctl/command.h"

namespace turnlog {
namespace {

constexpr Command kCommands[] = {
    {"import", "Bring histories in; again adds what is new and nothing else",
     R"(With `auto` the contents decide which format it is. A PATH may be a pipe; below a folder only regular files are read,
and no links are followed. What cannot be read is named, and the rest is imported (exit code 1). Interrupted, run it again.

Example:
  logctl --store my.log import jp ~/project/.jp
  logctl import jsonl <(zcat talk.jsonl.gz))",
     DefineImport},
    {"export", "Take histories out, in the form they came in",
     R"(What was imported and neither changed nor repaired goes out byte by byte as it came. Of repaired conversations
the sanitized view goes out, or with --raw the log itself; as JSON lines the view is numbered anew, so that it can be
imported. What is damaged is left out and named (exit code 1).

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
    {"ls", "List the conversations",
     R"(Sizes are those of the encoded events.

Example:
  logctl ls --sort time --limit 20
  logctl ls --pending --since 7d)",
     DefineLs},
    {"show", "A conversation as a readable timeline",
     R"(Times are UTC. Long reasoning and tool results are shortened; control characters in stored text
are shown as \x1b and the like.
What a repair has inserted has a + in place of its number; what it has moved is shown where it is now. Both say by
which rule. --raw shows the log as it was appended.

Example:
  logctl show 17648402467 --last-turns 2)",
     DefineShow, true},
    {"cat", "The events of a conversation as JSON lines",
     R"(Repaired, unless --raw asks for the log as it was appended: events that a repair has inserted have no seq.

Example:
  logctl cat 17648402467 --turn 3 | jq .type)",
     DefineCat},
    {"search", "Find text in all conversations",
     R"(Looks at one line at a time, in everything that a person can read: contents, arguments, results, questions,
answers, reasons, metadata, ids. In the arguments of a call, \n ends a line as it does in the file that they are about.
Each matching line is printed with its conversation, event, turn, time, kind and tool; - in place of : marks events
around a match (-A, -B, -C). The conversations are searched as their repairs have them. Exit code 0 whether something
is found or not; with --check, 3 if it is.

Example:
  logctl search 'connection refused' --since 7d
  logctl search -i -e 'todo|fixme' --tool fs_write -C 1
  logctl search TOKEN --check -l --conversation 'prod-*')",
     DefineSearch, true},
    {"get", "One inquiry, with its outcome in every turn",
     R"(States: answered, cancelled, redacted; pending; orphaned (never answered, its turn is over); stray (an
answer without a question in its turn); unreadable (damaged or erased). Says when a repair has closed an inquiry or
leaves it out.

Example:
  logctl get my-conversation call_1.overwrite.1
  logctl get my-conversation --tool-call call_1 --question overwrite)",
     DefineGet},
    {"pending", "The inquiries that wait for an answer", "Example:\n  logctl pending", DefinePending},
    {"answer", "Answer inquiries that wait, at the terminal or from a script",
     R"(For conversations whose agent has left its questions to be answered later: it finds the answers when it comes
back. An agent that is running has the store for itself and asks by its own means.
At a terminal each question is shown with its options and default, and what is typed instead of an answer: s skips it
for now, c cancels it; in a form b goes back, r replies with a message instead, e ends the turn. Ctrl-D leaves the rest
waiting. A form goes on with its next question, and its last answer becomes the result of its call.
A secret is typed without echo, or comes from standard input; never from the command line. The log is told that it was
given, and nothing else. Nobody keeps it: to hand it to whoever needs it, open a descriptor and name it.

Example:
  logctl answer my-conversation
  logctl answer my-conversation call_1.overwrite.1 --value true
  logctl answer my-conversation --secret-to-fd 3 3> >(docker login -u me --password-stdin))",
     DefineAnswer},
    {"cancel", "Close inquiries that wait, without an answer",
     R"(In a form the reasons back, reply and end_turn do what the keys of `answer` do; any other one ends it.

Example:
  logctl cancel my-conversation call_1.overwrite.1
  logctl cancel my-conversation --all --reason expired)",
     DefineCancel},
    {"state", "What a conversation is doing, and what is left of it to do",
     "idle, calling the model, running tools or awaiting the user.\n\nExample:\n  logctl state my-conversation",
     DefineState},
    {"denials", "Calls that the user refused, as the model will be told of them",
     R"(Those that the model has not been told of, with what delegated agents handed up. ARGUMENTS is a hash of the exact
input that was refused.

Example:
  logctl denials my-conversation)",
     DefineDenials},
    {"tail", "What was appended, in order, as JSON lines",
     R"(Says on standard error where it stopped; go on from there later with --from.

Example:
  logctl tail -f
  logctl tail --from 1f40-5be2d6a1c3f09e77)",
     DefineTail},
    {"sanitize", "Repair what does not fit together, turn by turn",
     R"(Appends `repair` events that say what the sanitized view leaves out, adds and moves; the log itself is never
edited, and `show --raw` and `cat --raw` show it. A turn in which somebody may still be at work is left alone.
Running it again changes nothing. Only what has grown since the last time is read. Rules: docs/sanitizer_rules.md.

Example:
  logctl sanitize --dry-run
  logctl sanitize --check || echo "there is something to repair")",
     DefineSanitize},
    {"repairs", "The repairs of a conversation, and taking one back",
     R"(A repair that was taken back is not made again, unless the taking back is taken back.

Example:
  logctl repairs my-conversation
  logctl repairs my-conversation --undo 120)",
     DefineRepairs},
    {"scavenge", "Erase for good what repairs have dropped",
     R"(The bytes of events that the sanitized view leaves out are overwritten in the log. The view stays the same;
taking a repair back does not bring them again. Without a conversation, those that have grown since they were
scavenged last are looked at.

Example:
  logctl scavenge --dry-run
  logctl scavenge my-conversation)",
     DefineScavenge},
    {"redact", "Take secrets out for good, with every echo of them, and prove it",
     R"(The events get a redacted form, the old bytes are overwritten in the log, and then all files of the store are
read: exit code 1, and the place, if a value is still anywhere. Each value is also looked for in all other events of
all conversations: plain, escaped, base64. Values are never shown, and never named on the command line. Interrupted,
run it again. What cannot be promised (backups, snapshots, freed blocks): docs/redaction.md.

Example:
  logctl redact --secrets --detect --dry-run
  pass show deploy-key | logctl redact --values-stdin
  logctl redact --inquiry call_1.token.1 --conversation my-conversation)",
     DefineRedact},
    {"scan", "Look for keys, tokens and passwords in files that are not a store",
     R"(Says the file, the line and the rule, never the value; for JSON and JSON lines also the JSON pointer. Looks into
escaped text and base64, too. Rules of your own: docs/formats/secret_rules.md. Needs no store.

Example:
  logctl scan ~/project/.jp --check || echo "something must go")",
     DefineScan},
    {"verify", "Read everything and say what is damaged and what is intact",
     "Exit code 1 if anything is damaged. Works beside a writer.\n\nRecords that a later one, a claim or the index "
     "confirms as synced are known to have been there: what is missing of them is damage. Behind those, after a crash, "
     "a damaged record cannot be told from one that never reached the disk; `unclaimed` and `unfinished` say how many "
     "bytes that concerns.\n\nExample:\n  logctl verify",
     DefineVerify},
    {"reindex", "Make the index anew from the log", "Needs the store for itself.\n\nExample:\n  logctl reindex",
     DefineReindex},
    {"backup", "Back the store up, incrementally",
     R"(Works beside a writer. The folder does not exist, is empty, or holds a backup of this store: then only new records
are copied, and records that were erased or redacted since are erased in the backup too. The whole backup is then read
and verified. The store keeps a record of its backups: those that may still hold erased values are named here, by
`redact` and by `scavenge`. After an interruption, run it again. A backup is read like a store and refuses writers.

Example:
  logctl backup /mnt/disk/history
  logctl ls --store /mnt/disk/history)",
     DefineBackup},
    {"restore", "Make a store from a backup",
     R"(The new store is verified and gets its index. A damaged backup is refused, with file and byte, unless --partial
asks for the intact records. After an interruption, run it again.

Example:
  logctl restore /mnt/disk/history my.log)",
     DefineRestore},
    {"stats", "Sizes and counts of the store", "Example:\n  logctl stats", DefineStats},
    {"completion", "A script with which a shell completes what is typed behind logctl",
     R"(An installed logctl has brought them to where the shells look for them.

Example:
  source <(logctl completion bash)
  logctl completion zsh > ~/.zfunc/_logctl
  logctl completion fish > ~/.config/fish/completions/logctl.fish)",
     DefineCompletion},
    {"manual", "The manual page, for man",
     R"(It says what the help of all commands says.

Example:
  logctl manual | man -l -)",
     DefineManual},
};

}  // namespace

std::span<const Command> Commands() { return kCommands; }

}  // namespace turnlog
