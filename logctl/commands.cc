#include "logctl/command.h"

namespace turnlog {
namespace {

constexpr Command kExchange[] = {
    {"import", "Import histories; a second run adds only what is new",
     R"(`auto` detects the format of each source by its contents. A PATH may be a pipe. Below a folder only regular files are
read, and symbolic links are not followed. A source with errors is reported and the others are imported (exit code 1).
After an interruption, run the same command again.

Example:
  logctl --store my.log import jp ~/project/.jp
  logctl import jsonl <(zcat talk.jsonl.gz))",
     DefineImport},
    {"export", "Export histories",
     R"(A conversation that was imported and has not changed is exported byte for byte. A repaired conversation is exported
as its sanitized view; --raw exports the log itself. JSON lines number the events of the view from 1, so that they can
be imported. Damaged events are reported and left out (exit code 1); of a conversation that has any, no request and no session
is made.
A request is made from any conversation, whatever format it came from, so that `lint` finds nothing in it; what was changed
or left out for that is counted on standard error. Add your system prompt and the definitions of your tools. The request of
a conversation that has grown begins with the bytes of the former one, up to the turn that was incomplete.
docs/formats/requests.md
A session for another tool has the same messages as a request; see docs/formats/sessions.md, and `resume`, which puts it
where the tool looks.
Documents for people have the sanitized view, with denials, questions with their outcomes, and repairs marked; presumed
secrets are left out and counted. HTML needs no script and loads nothing; with --to, long conversations are split into pages.
A handoff has every text in a fence, so that the agent that reads it can tell contents from headings.

Example:
  logctl export 17648402467 --format html > talk.html
  logctl export --all --format jsonl > all.jsonl
  logctl export 17648402467 --format anthropic --prompt 'Go on, please' > request.json
  logctl export 17648402467 --format jp --to out/)",
     DefineExport},
    {"resume", "Go on with a conversation in another tool",
     R"(Writes the session where the tool looks for it, and prints the command that goes on with it, as the only line of standard
output. The folder of the tool is in --home, or where its own variable says (CLAUDE_CONFIG_DIR, CODEX_HOME,
XDG_DATA_HOME). For Codex, a row is added to the index of sessions if there is one; opencode reads the file by its own
command.
Before anything is written, the session is loaded by the rules of the tool and checked by those of its provider. No file is
overwritten; the file is private. What is changed is counted on standard error, as for requests. docs/formats/sessions.md

Example:
  logctl resume my-conversation --in claude-code
  logctl resume my-conversation --in codex --cwd ~/project --dry-run)",
     DefineResume},
    {"append", "Append events, given as JSON lines on standard input",
     R"(One atomic append: all lines or none. The fields "conversation" and "seq", which `cat` prints, are ignored. An event
whose event_id the conversation already has is not appended again.

Example:
  echo '{"type":"chat_request","content":"hello"}' | logctl append my-conversation)",
     DefineAppend},
};

constexpr Command kReading[] = {
    {"ls", "List the conversations",
     R"(SIZE counts the encoded events.

Example:
  logctl ls --sort time --limit 20
  logctl ls --pending --since 7d)",
     DefineLs},
    {"show", "Show a conversation as a readable timeline",
     R"(Times are UTC. Long reasoning and tool results are shortened; --full shows all of them. Control characters in stored
text are shown as \x1b and the like.
The timeline is the sanitized view. An event that a repair has inserted is numbered +, a moved event is shown at its new
position, and both name the rule of the repair. --raw shows the log as it was appended.

Example:
  logctl show 17648402467 --last-turns 2)",
     DefineShow, true},
    {"cat", "Print the events of a conversation as JSON lines",
     R"(Prints the sanitized view, in which inserted events have no seq. --raw prints the log as it was appended.

Example:
  logctl cat 17648402467 --turn 3 | jq .type)",
     DefineCat},
    {"search", "Search the text of all conversations",
     R"(Matches line by line, in all readable fields: contents, arguments, results, questions, answers, reasons, metadata,
ids. In tool arguments an escaped \n ends a line.
Each matching line is printed with its conversation, event, turn, time, kind and tool. Context lines (-A, -B, -C) have
`-` where matches have `:`. Searches the sanitized view unless --raw is given. The exit code is 0 with or without a
match; with --check it is 3 for a match.

Example:
  logctl search 'connection refused' --since 7d
  logctl search -i -e 'todo|fixme' --tool fs_write -C 1
  logctl search TOKEN --check -l --conversation 'prod-*')",
     DefineSearch, true},
    {"tail", "Print the events of all conversations as JSON lines, in the order of the log",
     R"(Prints its last position on standard error. --from continues there, also in another process.

Example:
  logctl tail -f
  logctl tail --from 1f40-5be2d6a1c3f09e77)",
     DefineTail},
    {"usage", "Count the tokens that imported conversations have cost",
     R"(Each message counts once, however many records, resumed sessions and subagents repeat it, with the figures of its
source: Claude Code, Codex, Gemini CLI, opencode, the OpenAI Agents SDK, LangGraph, and responses of Anthropic and OpenAI.
INPUT has no cached tokens, and OUTPUT includes REASONING. "-" is what names no day or no model.

Example:
  logctl usage --by day
  logctl usage --by conversation --json | jq .sum)",
     DefineUsage},
    {"provenance", "Show who decided what: every answer and every denial",
     R"(For each decision: the tool call with its exact arguments, who decided, when and why, and whose "no" came before, if
the question was escalated. Decisions that a repair has made name its rule.

Example:
  logctl provenance my-conversation
  logctl provenance my-conversation --json | jq '.decisions[] | select(.kind == "denial")')",
     DefineProvenance},
};

constexpr Command kInquiries[] = {
    {"pending", "List the inquiries that wait for an answer", "Example:\n  logctl pending", DefinePending},
    {"answer", "Answer pending inquiries, at the terminal or from a script",
     R"(For inquiries that an agent has deferred before it ended: the agent finds the answers when it resumes. A running agent
holds the store for writing and asks for itself.
At a terminal each question is shown with its options, its default and the keys for everything but an answer: # adds a
note, d declines (the agent goes on without), s stops the turn, l leaves the question for later; in a form b goes back,
r replies with a message instead. Ctrl-D leaves the remaining questions pending. A form continues with its next question, and its last answer becomes the result of its call.
A secret is typed without echo or read from standard input, never given on the command line. The log records only that
it was given. A service (`logctl serve`) hands it to the agent that waits for it, and refuses it if none does. To pass the
secret on to another program, open a file descriptor and name it with --secret-to-fd; without a service it is discarded otherwise.

Example:
  logctl answer my-conversation
  logctl answer my-conversation call_1.overwrite.1 --value true
  logctl answer my-conversation --secret-to-fd 3 3> >(docker login -u me --password-stdin))",
     DefineAnswer},
    {"cancel", "Cancel pending inquiries",
     R"(Ends the turn, unless --decline is given. In a form the reasons back and reply do what the keys of `answer` do.

Example:
  logctl cancel my-conversation call_1.overwrite.1
  logctl cancel my-conversation --all --reason expired)",
     DefineCancel},
    {"get", "Show an inquiry and its outcome in every turn",
     R"(States: answered, cancelled, redacted; pending; orphaned (no response, and its turn is over); unmatched (a response
without a request in its turn); unreadable (the response is damaged or erased). Also names the repair that has inserted
the response or left the inquiry out of the sanitized view.

Example:
  logctl get my-conversation call_1.overwrite.1
  logctl get my-conversation --tool-call call_1 --question overwrite)",
     DefineGet},
    {"state", "Show what a conversation is doing, with its open calls and inquiries",
     "A conversation is idle, calling the model, running tools or awaiting the user.\n\n"
     "Example:\n  logctl state my-conversation",
     DefineState},
    {"denials", "List the tool calls that the user denied",
     R"(Lists the undelivered denials, which the model has not received yet, also those of delegated agents. ARGUMENTS is a
hash of the exact arguments that were denied.

Example:
  logctl denials my-conversation)",
     DefineDenials},
};

constexpr Command kRepair[] = {
    {"sanitize", "Find inconsistent events and repair them, turn by turn",
     R"(Appends `repair` events that say what the sanitized view leaves out, adds and moves. Recorded events stay as they
are: `show --raw` and `cat --raw` print them. An incomplete last turn is left alone, because an agent may be working on
it. A run reads only conversations that have new events since the last run; with nothing to repair it appends nothing.
Rules: docs/sanitizer_rules.md.

Example:
  logctl sanitize --dry-run
  logctl sanitize --check || echo "there is something to repair")",
     DefineSanitize},
    {"repairs", "List the repairs of a conversation, or undo one",
     R"(`sanitize` does not repeat a repair that was undone. To reinstate it, undo the undoing event.

Example:
  logctl repairs my-conversation
  logctl repairs my-conversation --undo 120)",
     DefineRepairs},
    {"scavenge", "Erase for good what repairs have dropped",
     R"(The bytes of events that the sanitized view leaves out are overwritten in the log. The view stays the same;
undoing a repair does not restore them.

Example:
  logctl scavenge --dry-run
  logctl scavenge my-conversation)",
     DefineScavenge},
    {"doctor", "Find out why sessions of agent tools do not work any more, and mend them",
     R"(Examines sessions of Claude Code, Codex, Gemini CLI, opencode, jp and the OpenAI Agents SDK, threads of LangGraph, and lists
of messages of Anthropic, OpenAI and the Vercel AI SDK, where they are; needs no store. For each: what its provider would
refuse, what its tool would not load or list, and how many presumed secrets are in it. Only what has to change is changed,
and results of calls are kept. Without another option mended copies are written beside the files, as <file>.mended.
--in-place replaces the files, unless a process has one open or it was written within --idle seconds (exit code 4). The
old file stays as <file>.<bytes>.before-doctor; what a process appends to it later is carried over by the next run. A
database is changed in one transaction. It also mends the lists from which Codex and Claude Code show sessions.
A second run finds nothing to mend; what no rule can cure is listed as not mended.
With --redact, what the tools keep beside their sessions is searched, too; --in-place cleans histories, pastes, outputs and
logs, and only names settings, credentials and backups of files.
--plan writes the edits to standard output instead, with hashes of the contents; --apply carries them out.
Rules: docs/doctor.md, or `logctl explain RULE`. Other exit codes: 1 if something could not be examined or written, 3 with
--check if a rule is broken; presumed secrets alone do not count, see `logctl scan`.

Example:
  logctl doctor ~/.claude/projects ~/.codex/sessions --check
  logctl doctor ~/.claude/projects --out mended/
  logctl doctor 0a1b2c3d.jsonl --in-place)",
     DefineDoctor},
    {"lint", "Check a request before a model provider refuses it",
     R"(Prints each rule of the API that the request breaks, with line, JSON pointer and cure; exit code 3 if there is one.
What the request alone cannot show, such as the account that a signature belongs to, is not checked. Rules:
docs/provider_rules.md, or `logctl explain RULE`. Reads any file and needs no store.

Example:
  logctl lint anthropic request.json
  logctl lint openai-responses --model gpt-5 request.json)",
     DefineLint},
    {"explain", "Explain a rule of `lint` or `doctor`", "Example:\n  logctl explain anthropic-missing-result",
     DefineExplain},
};

constexpr Command kSecrets[] = {
    {"redact", "Erase secrets, with all their occurrences, and prove it",
     R"(Finds every occurrence of each value in all events of all conversations, plain and in the encodings that
docs/redaction.md lists. Each event that holds one gets a redacted form, and its old bytes are overwritten. Then all files
of the store are read as proof; a value that is still found is reported with its location (exit code 1). Values are never
printed, and are never given on the command line. After an interruption, run the same command again. --detect and
--secrets read only events that are new since their last run. Limits (backups, snapshots, freed blocks):
docs/redaction.md.

Example:
  logctl redact --secrets --detect --dry-run --report
  logctl redact --value-file ~/.ssh/id_ed25519
  pass show deploy-key | logctl redact --values-stdin
  logctl redact --inquiry call_1.token.1 --conversation my-conversation)",
     DefineRedact},
    {"scan", "Search files for keys, tokens and passwords",
     R"(Prints file, line and rule of each secret, never its value; for JSON and JSON lines also the JSON pointer. Escaped
text and base64 are decoded first. Signatures, ids and hashes of providers are passed over. --known and --values-file
search for values instead, in all encodings of docs/redaction.md. How to add rules: docs/formats/secret_rules.md.
Reads any files and needs no store; for secrets in a store use `logctl redact --detect --dry-run`.

Example:
  logctl scan ~/project/.jp --check || echo "there are secrets in these files"
  logctl scan ~/project/.jp --known)",
     DefineScan},
};

constexpr Command kPrograms[] = {
    {"serve", "Serve the store to many processes",
     R"(Keeps the store open for writing until SIGTERM or Ctrl-C. Other commands and programs find the service by the store's
folder and write through it. Its socket, STORE/service.sock, is for processes of the same user; --listen also serves at an
address of this machine, such as 127.0.0.1:8080, to those who send the token. docs/http_api.md describes requests: events,
questions and their answers, event streams, metrics. An address that other machines reach needs a certificate (--tls-cert,
--tls-key), or a proxy in front of it that encrypts (--behind-proxy --public-url https://HOST/PATH). Sockets that systemd
passes on are used (examples/systemd).

--pair prints a link to the page, where people see what waits and answer it; without --listen the page has a free port of this
machine. For a service that runs already, --pair prints another link, and --sessions and --end-session list browsers and sign
them out. --notify notifies a URL or a command when questions wait.

Example:
  logctl --store my.log serve --pair
  logctl --store my.log serve &
  curl --unix-socket my.log/service.sock http://localhost/v1/pending)",
     DefineServe},
    {"token", "Name the programs and people that may use the service over TCP",
     R"(`token add` prints a new token, to be sent as `Authorization: Bearer TOKEN` to the address of `serve --listen`. Its rights:
read (always), answer (questions), append (events, for agents), maintain (erase, redact, sign browsers in). The file
STORE/service.tokens has only hashes; a running service knows a change at once. With TURNLOG_TOKEN, logctl sends a token.

Example:
  logctl token add phone --right answer
  logctl token list
  logctl token remove phone)",
     DefineToken},
    {"hook", "Let people answer what Claude Code and Codex ask, from anywhere",
     R"(`hook claude-code` and `hook codex` are for the settings of these tools, which run them with an event on standard input.
What a tool wants to be permitted, or asks its user, becomes a question in the store, in the conversation SESSION/live; the
answer goes back to the tool. Prompts, results of calls and stops are recorded, too. Nothing is allowed that a person has not
allowed: without a service, after the time, and after a failure the tool asks its user itself.

`hook install` adds the entries to the tool's settings (settings.json of Claude Code, hooks.json of Codex), `hook uninstall`
removes them; nothing else in the file changes, and the old file is kept beside it. docs/agent_tools.md

Example:
  logctl --store ~/agents.log serve &
  logctl --store ~/agents.log hook install claude-code
  logctl --store ~/agents.log answer SESSION/live --value yes)",
     DefineHook},
    {"mcp", "Let agents look into the history: a server of the Model Context Protocol",
     R"(Reads requests from standard input and writes answers to standard output, until the input ends. The tools search,
conversations, read, pending and provenance only read. What they return is marked as quoted history, has no control characters
and no presumed secrets, and is no longer than the agent wants. docs/agent_tools.md

Example:
  claude mcp add history -- logctl --store ~/agents.log mcp)",
     DefineMcp},
};

constexpr Command kStore[] = {
    {"store", "Create a store, set how it stores events, or copy one into another",
     R"(`store init` creates the store that --store or LOCATION names, if there is none. A postgresql: URL needs a role that
may create tables; later a role with SELECT, INSERT, UPDATE and DELETE on them will do. docs/sql_engine.md

`store copy FROM TO` appends to TO what it lacks of each conversation, then reads both stores again and compares every event.
After an interruption, run the same command again. A conversation with other events in TO is reported and left alone (exit
code 1).

`store set --compression fast` (LZ4) or `small` (Zstandard: smaller, slower) lets a store in a folder compress the events that
are appended from now on, each alone, and `none` ends it; what is stored stays as it is; a running service does it, too.
`store init` takes --compression too.

Example:
  logctl store set --compression fast
  logctl store init postgresql://agent@db.example/agents
  logctl store copy my.log postgresql://agent@db.example/agents)",
     DefineStore},
    {"stats", "Print sizes and counts of the store", "Example:\n  logctl stats", DefineStats},
    {"verify", "Read the whole store and report damage",
     R"(Checks every record and compares the index with the log. Exit code 1 for damage. Works beside a writer.

A record that a later record, a claim or the index confirms as synced is damaged if it is not intact. After a crash, records
at the end without a confirmation may be torn or damaged, which cannot be distinguished: `unfinished` is their size, and
`unclaimed` the size of intact records without a confirmation.

Example:
  logctl verify)",
     DefineVerify},
    {"reindex", "Rebuild the index from the log",
     R"(Works through the service (`logctl serve`) that has the store open, while others use it; any other process must not
write to the store meanwhile. The watermarks of the sanitizer are kept if the old index can be read; otherwise its next
run reads everything.

Example:
  logctl reindex)",
     DefineReindex},
    {"backup", "Back up the store, incrementally",
     R"(Works beside a writer. DIR does not exist, is empty, or holds a backup of this store. An existing backup gets only
the new records, and records that were erased or redacted since are erased in it too. Then the whole backup is read and
verified. The store keeps a list of its backups: `backup`, `redact` and `scavenge` name those that may still hold erased
values. A backup can be read like a store, but not written to. After an interruption, run the same command again.

Example:
  logctl backup /mnt/disk/history
  logctl ls --store /mnt/disk/history)",
     DefineBackup},
    {"restore", "Create a store from a backup",
     R"(Verifies the new store and builds its index. A damaged backup is refused, with file and byte; --partial restores its
intact records. After an interruption, run the same command again.

Example:
  logctl restore /mnt/disk/history my.log)",
     DefineRestore},
};

constexpr Command kProgram[] = {
    {"completion", "Print a completion script for a shell",
     R"(`cmake --install` installs these scripts for all three shells.

Example:
  source <(logctl completion bash)
  logctl completion zsh > ~/.zfunc/_logctl
  logctl completion fish > ~/.config/fish/completions/logctl.fish)",
     DefineCompletion},
    {"manual", "Print the manual page, in the format of man",
     R"(Holds the help of all commands.

Example:
  logctl manual | man -l -)",
     DefineManual},
};

constexpr CommandGroup kGroups[] = {
    {"Histories in and out", kExchange},
    {"Reading", kReading},
    {"Questions and answers", kInquiries},
    {"Repair", kRepair},
    {"Secrets", kSecrets},
    {"Other programs", kPrograms},
    {"The store", kStore},
    {"This program", kProgram},
};

}  // namespace

std::span<const CommandGroup> CommandGroups() { return kGroups; }

}  // namespace turnlog
