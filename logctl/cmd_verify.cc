#include <fmt/format.h>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/report_fields.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/maintenance.h"
#include "turnlog/sql_log.h"
#include "turnlog/verify_log.h"

namespace turnlog {
namespace {

void PrintJson(Output& out, const VerifyReport& report) {
  JsonDocument json(out);
  json.Field("clean", report.clean());
  json.Field("store_id", report.store_id);
  json.Field("segments", report.segments);
  json.Field("bytes", report.bytes);
  json.Field("records", report.records);
  json.Field("events", report.events);
  json.Field("erased", report.erased);
  json.Field("redacted", report.redacted);
  json.Field("conversations", report.conversations);
  json.Field("damage_count", report.damage_count);
  AddDamage(json, report.damage);
  json.Field("index_entries", report.index_entries);
  json.Field("index_difference_count", report.index_difference_count);
  json.Array("index_differences");
  for (const std::string& difference : report.index_differences) json.Element(difference);
  json.EndArray();
  json.Field("unfinished_bytes", report.unfinished_bytes);
  json.Field("unclaimed_bytes", report.unclaimed_bytes);
  json.Array("notes");
  for (const std::string& note : report.notes) json.Element(note);
  json.EndArray();
}

// The last line: clean, or what is wrong and what to do.
std::string Verdict(const VerifyReport& report, bool files) {
  if (report.clean()) return "clean";
  if (report.damage_count == 0 && files) {
    return fmt::format(
        "the index differs from the log in {}: run `logctl reindex`; no event is lost",
        report.index_difference_count == 1 ? "1 entry" : Thousands(report.index_difference_count) + " entries");
  }
  if (report.damage_count == 0) {
    return fmt::format(
        "what is looked up differs from the events in {}: no event is lost, and `logctl store copy` "
        "makes a store in which all is right",
        Counted(report.index_difference_count, "place"));
  }
  return fmt::format("{}: intact events can still be read and exported; restore the others from a backup",
                     Counted(report.damage_count, "damaged range"));
}

// `files`: of a store in a folder, with files and an index of its own.
void PrintText(Output& out, const VerifyReport& report, bool files) {
  const auto line = [&](std::string name, const std::string& value) {
    out.Write(out.Paint(Style::kDim, PadRight(std::move(name), 10)) + "  " + value + "\n");
  };
  const auto more = [&](std::uint64_t count, std::size_t shown) {
    if (count > shown) line("", fmt::format("... and {} more", Thousands(count - shown)));
  };
  line("store", report.store_id);
  const std::string events =
      fmt::format("{} of {}", Counted(report.events, "event"), Counted(report.conversations, "conversation"));
  line("read", files ? fmt::format("{}, {}: {}, {}", Counted(report.segments, "segment"), HumanSize(report.bytes),
                                   Counted(report.records, "record"), events)
                     : fmt::format("{}, {}", HumanSize(report.bytes), events));
  if (report.erased > 0) line("erased", Counted(report.erased, "event") + " whose contents are erased");
  if (report.redacted > 0) line("redacted", Counted(report.redacted, "event") + " whose secrets are erased");
  line(files ? "index" : "lookups",
       fmt::format("{} compared", !files                      ? Thousands(report.index_entries)
                                  : report.index_entries == 1 ? "1 entry"
                                                              : Thousands(report.index_entries) + " entries"));
  if (report.unfinished_bytes > 0) {
    line("unfinished",
         HumanSize(report.unfinished_bytes) +
             " of a torn tail or of damaged records, confirmed by no claim; the next writer truncates them");
  }
  if (report.unclaimed_bytes > 0) {
    line("unclaimed", HumanSize(report.unclaimed_bytes) +
                          " of records without a claim after them; damage there would look like a torn tail. An idle "
                          "writer confirms them, and so does closing the store");
  }
  for (const std::string& note : report.notes) line("note", Printable(note));
  for (const Damage& damage : report.damage) line("damage", out.Paint(Style::kRed, Printable(ToString(damage))));
  more(report.damage_count, report.damage.size());
  for (const std::string& difference : report.index_differences)
    line(files ? "index" : "lookups", out.Paint(Style::kRed, Printable(difference)));
  more(report.index_difference_count, report.index_differences.size());
  out.Write(out.Paint(report.clean() ? Style::kGreen : Style::kRed, Verdict(report, files)) + "\n");
}

CommandResult VerifyDatabase(Context& context) {
  const auto log = TURNLOG_TRY(OpenToRead(context));
  const StoreStats stats = TURNLOG_TRY(log->Stats());
  auto read = VerifyLog(*log, ShowProgress(context, "verifying"));
  context.messages.EndProgress();
  if (!read) return std::unexpected(Failure(read.error()));
  VerifyReport report{.store_id = stats.store_id,
                      .bytes = read->bytes,
                      .events = read->events,
                      .conversations = read->conversations,
                      .erased = read->erased,
                      .redacted = read->redacted,
                      .damage_count = read->damage_count,
                      .damage = std::move(read->damage),
                      .index_entries = read->lookups,
                      .index_difference_count = read->difference_count,
                      .index_differences = std::move(read->differences)};
  context.globals.json ? PrintJson(context.out, report) : PrintText(context.out, report, false);
  return report.clean() ? kFine : kFailed;
}

CommandResult RunVerify(Context& context) {
  if (IsSqlLocation(TURNLOG_TRY(StoreLocation(context)))) return VerifyDatabase(context);
  const auto path = TURNLOG_TRY(StorePath(context));
  const auto report = VerifyStore(path, ShowProgress(context, "verifying"));
  context.messages.EndProgress();
  if (!report) return std::unexpected(StoreFailure(report.error(), path.string()));
  context.globals.json ? PrintJson(context.out, *report) : PrintText(context.out, *report, true);
  return report->clean() ? kFine : kFailed;
}

}  // namespace

Action DefineVerify(CLI::App&) { return RunVerify; }

}  // namespace turnlog
