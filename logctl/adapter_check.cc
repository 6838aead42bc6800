#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/try.h"
#include "logctl/adapter.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/migrate/import.h"
#include "turnlog/open_log.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// A store that disappears after the check.
class ScratchStore {
 public:
  static Expected<std::unique_ptr<ScratchStore>> Create() {
    std::error_code ignored;
    std::string folder = (fs::temp_directory_path(ignored) / "logctl-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) return Failed(fmt::format("{}: cannot create a folder", folder));
    auto store = std::make_unique<ScratchStore>(folder);
    store->log_ = TURNLOG_TRY(OpenLog((fs::path(folder) / "store").string()));
    return store;
  }

  explicit ScratchStore(fs::path folder) : folder_(std::move(folder)) {}
  ~ScratchStore() {
    log_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  ScratchStore(const ScratchStore&) = delete;
  ScratchStore& operator=(const ScratchStore&) = delete;

  Log& log() { return *log_; }

 private:
  fs::path folder_;
  std::unique_ptr<Log> log_;
};

struct Counts {
  std::uint64_t events = 0, raw = 0;  // raw: with the record that they came from
};

Expected<Counts> CountEvents(Log& log, const ConversationId& id) {
  Counts counts;
  const auto cursor = TURNLOG_TRY(log.ReadRaw(id));
  for (;;) {
    const Item item = TURNLOG_TRY(cursor->Next());
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) return counts;
    const auto event = record->Decode();
    ++counts.events;
    // An event of an unknown kind has it among its fields.
    counts.raw += event && (event->source_text || event->kind() == EventKind::kUnknown) ? 1U : 0U;
  }
}

}  // namespace

Expected<std::vector<std::string>> CheckAdapter(const std::string& command, const std::string& source,
                                                std::string& summary) {
  std::vector<std::string> wrong;
  const AdapterOutput output = TURNLOG_TRY(RunAdapter(command, source));
  const AdapterOutput again = TURNLOG_TRY(RunAdapter(command, source));
  if (output.Read() != again.Read()) wrong.push_back("prints something else when it is run again");
  const auto store = TURNLOG_TRY(ScratchStore::Create());
  const std::vector<fs::path> paths{output.path()};
  const ImportReport report = TURNLOG_TRY(Import(store->log(), "jsonl", paths));
  for (const auto* problems : {&report.problems, &report.notes}) {
    for (ImportProblem problem : *problems) {
      problem.file = "output";
      wrong.push_back(ToString(problem));
    }
  }
  if (report.added == 0) wrong.push_back("prints no conversation");
  if (TURNLOG_TRY(Import(store->log(), "jsonl", paths)).events > 0) wrong.push_back("a second import adds events");
  std::uint64_t events = 0, raw = 0;
  const auto count = [&](const std::vector<ConversationInfo>& page) -> Expected<bool> {
    for (const ConversationInfo& info : page) {
      const Counts counts = TURNLOG_TRY(CountEvents(store->log(), ConversationId::Parse(info.id).value()));
      events += counts.events;
      raw += counts.raw;
      if (counts.raw == 0) wrong.push_back(fmt::format("{}: no `source_text` with the records", info.id));
    }
    return true;
  };
  TURNLOG_TRY(ForEachPage(store->log(), count));
  summary = fmt::format("{}, {}, {} with the source's record", Counted(report.added, "conversation"),
                        Counted(events, "event"), raw);
  return wrong;
}

}  // namespace turnlog
