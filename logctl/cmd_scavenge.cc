#include <fmt/format.h>

#include <memory>

#include "base/try.h"
#include "logctl/backup_notes.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/sanitize/sanitize.h"
#include "turnlog/service/remote_maintenance.h"

namespace turnlog {
namespace {

struct Options {
  std::vector<std::string> conversations;
  bool dry_run = false;
};

struct Totals {
  std::uint64_t checked = 0, failed = 0, events = 0, bytes = 0;
};

// Prints each conversation with erased events as soon as it is done.
class Scavenger {
 public:
  Scavenger(Context& context, Log& log, bool dry_run) : context_(context), log_(log), dry_run_(dry_run) {
    if (!context.globals.json) return;
    json_.emplace(context.out);
    json_->Field("dry_run", dry_run);
    json_->Array("conversations");
  }

  void Add(const ConversationId& conversation) {
    const auto outcome = Scavenge(log_, conversation, dry_run_);
    if (!outcome) return AddFailed(conversation.text(), outcome.error());
    ++totals_.checked;
    if (!outcome->events.empty()) AddErased(conversation.text(), outcome->events, outcome->bytes);
  }

  // What a service has done.
  void Add(const RemoteScavenge& done) {
    for (const ScavengedConversation& each : done.conversations) {
      each.error ? AddFailed(each.id, *each.error) : AddErased(each.id, each.events, each.bytes);
    }
    totals_.checked = done.checked - totals_.failed;
  }

  ExitCode Finish() {
    if (json_) {
      json_->EndArray();
      json_->Field("conversations_checked", totals_.checked);
      json_->Field("conversations_failed", totals_.failed);
      json_->Field("events", totals_.events);
      json_->Field("bytes", totals_.bytes);
    } else if (totals_.events == 0) {
      context_.out.Write(fmt::format("{} checked: nothing to erase\n", Counted(totals_.checked, "conversation")));
    } else {
      context_.out.Write(fmt::format("{} with {} {}\n", Counted(totals_.events, "event"), HumanSize(totals_.bytes),
                                     dry_run_ ? "would be erased; nothing was written" : "erased for good"));
    }
    return totals_.failed > 0 ? kFailed : kFine;
  }

  const Totals& totals() const { return totals_; }

 private:
  void AddFailed(const std::string& id, const Error& error) {
    ++totals_.failed;
    context_.messages.Report(Failure(Error{error.code, id + ": " + error.message}));
  }

  void AddErased(const std::string& id, std::span<const Seq> events, std::uint64_t bytes) {
    totals_.events += events.size();
    totals_.bytes += bytes;
    if (!json_) {
      context_.out.Write(fmt::format("{}  {}, {}\n", context_.out.Paint(Style::kBold, Printable(id)),
                                     Counted(events.size(), "event"), HumanSize(bytes)));
      return;
    }
    json_->Object();
    json_->Field("id", id);
    json_->Field("bytes", bytes);
    json_->Array("events");
    for (const Seq seq : events) json_->RawElement(std::to_string(seq.value));
    json_->EndArray();
    json_->EndObject();
  }

  Context& context_;
  Log& log_;
  const bool dry_run_;
  std::optional<JsonDocument> json_;
  Totals totals_;
};

Expected<void> ScavengeHere(Context& context, Log& log, std::span<const ConversationId> ids, Scavenger& scavenger) {
  for (const ConversationId& id : ids) scavenger.Add(id);
  if (!ids.empty()) return {};
  const std::uint64_t total = TURNLOG_TRY(log.Stats()).conversations;
  const OnPage add_page = [&](const std::vector<ConversationInfo>& page) -> Expected<bool> {
    for (const ConversationInfo& info : page) {
      scavenger.Add(TURNLOG_TRY(ConversationId::Parse(info.id)));
      context.messages.Progress("scavenging", scavenger.totals().checked + scavenger.totals().failed, total);
    }
    return !context.out.closed();
  };
  return ForEachChangedPage(log, kScavengeConsumer, Changes::kRepaired, add_page);
}

CommandResult Run(Context& context, const Options& options) {
  const auto log = TURNLOG_TRY(options.dry_run ? OpenToRead(context) : OpenToChange(context, "scavenge"));
  const auto ids = TURNLOG_TRY(FindConversations(*log, options.conversations));
  Scavenger scavenger(context, *log, options.dry_run);
  if (!options.dry_run && IsThroughService(*log)) {
    scavenger.Add(TURNLOG_TRY(ScavengeThroughService(*log, ids, ShowProgress(context, "scavenging"))));
  } else {
    TURNLOG_TRY(ScavengeHere(context, *log, ids, scavenger));
  }
  if (!options.dry_run) TURNLOG_TRY(log->Close());
  context.messages.EndProgress();
  const CommandResult result = scavenger.Finish();
  if (!options.dry_run && scavenger.totals().events > 0) {
    WarnAbout(context.messages, TURNLOG_TRY(FindOtherCopies(context)));
  }
  return result;
}

}  // namespace

Action DefineScavenge(CLI::App& app) {
  auto words = std::make_shared<Options>();
  AddTexts(app, "CONV", words->conversations,
           "The conversations; default: all with repairs and new events since their last run");
  AddFlag(app, "--dry-run", words->dry_run, "Print what would be erased; erase nothing");
  return [words](Context& context) { return Run(context, *words); };
}

}  // namespace turnlog
