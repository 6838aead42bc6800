#include "tests/migrate/import_fixture.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <thread>
#include <variant>

#include "migrate/logged/import_record.h"
#include "migrate/sources/file_stamp.h"
#include "tests/support/must.h"
#include "turnlog/segment_log.h"

namespace turnlog {

ImportTest::TempStore::TempStore() {
  SegmentOptions options;
  options.segment_bytes = 1 << 20;
  log = Must(OpenSegmentLog(dir / "store", options));
}

std::filesystem::path ImportTest::Write(const std::filesystem::path& name, std::string_view text) {
  const std::filesystem::path path = dir_ / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::filesystem::path ImportTest::WriteJp(std::string_view directory, std::string_view events,
                                          const std::filesystem::path& folder) {
  const std::filesystem::path place = folder / directory;
  Write(place / "metadata.json", "{\n  \"last_activated_at\": \"2026-01-01 00:00:00.0\"\n}\n");
  Write(place / "base_config.json", "{}\n");
  return Write(place / "events.json", events).parent_path();
}

// What is awaited is the clock alone: for a tick after the last change, another one could leave the same stamp.
void ImportTest::Settle() {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_.path())) {
    while (entry.is_regular_file() && !Must(StampOf(entry.path(), false)).settled) std::this_thread::yield();
  }
}

ImportReport ImportTest::Jp(std::vector<std::filesystem::path> paths) { return Must(Import(*log_, "jp", paths)); }

ImportReport ImportTest::Jsonl(std::vector<std::filesystem::path> paths) { return Must(Import(*log_, "jsonl", paths)); }
ImportReport ImportTest::Auto(std::vector<std::filesystem::path> paths) { return Must(Import(*log_, "auto", paths)); }

ImportReport ImportTest::AutoSilently(std::vector<std::filesystem::path> paths) {
  ImportReport report = Auto(std::move(paths));
  for (const auto* said : {&report.problems, &report.notes}) {
    for (const ImportProblem& problem : *said) ADD_FAILURE() << ToString(problem);
  }
  return report;
}

Result<ExportReport> ImportTest::ExportToJp(const std::vector<ConversationId>& ids, const std::filesystem::path& to,
                                            const ExportOptions& options) {
  return ExportToFolder(*log_, "jp", ids, to, options);
}

std::map<std::string, std::string> ImportTest::ExportRaw(std::string_view format, std::string_view conversation) {
  const TempDir out;
  const std::vector<ConversationId> ids{Id(conversation)};
  const ExportReport report = Must(ExportToFolder(*log_, format, ids, out.path(), {.raw = true}));
  for (const ExportFailure& failure : report.failures) ADD_FAILURE() << failure.error.message;
  return ReadTree(out.path());
}

std::string ImportTest::ExportRawText(std::string_view format, std::string_view conversation) {
  std::string out;
  const auto sink = [&](std::string_view piece) { return out += piece, Status(); };
  const std::vector<ConversationId> ids{Id(conversation)};
  const ExportReport report = Must(ExportToStream(*log_, format, ids, sink, {.raw = true}));
  for (const ExportFailure& failure : report.failures) ADD_FAILURE() << failure.error.message;
  return out;
}

std::string ImportTest::ExportToJsonl(const std::vector<ConversationId>& ids, const ExportOptions& options) {
  std::string out;
  const auto sink = [&](std::string_view piece) { return out += piece, Status(); };
  Must(ExportToStream(*log_, "jsonl", ids, sink, options));
  return out;
}

std::vector<Event> ImportTest::Events(std::string_view conversation) {
  const auto cursor = Must(log_->ReadRaw(Id(conversation)));
  std::vector<Event> events;
  while (true) {
    const Item item = Must(cursor->Next());
    if (std::holds_alternative<EndOfLog>(item)) return events;
    if (std::holds_alternative<Erased>(item)) continue;
    events.push_back(Own(Must(std::get<Record>(item).Decode())));
  }
}

std::vector<std::string> ImportTest::Said(std::string_view conversation) {
  std::vector<std::string> said;
  for (const Event& event : Events(conversation)) {
    if (const auto* request = std::get_if<ChatRequest>(&event.body)) said.push_back(request->content);
  }
  return said;
}

std::string ImportTest::PartOf(std::string_view conversation, std::string_view name) {
  const auto record = ReadImportEvent(View(Events(conversation).front()));
  const auto part = record->parts.find(std::string(name));
  return part == record->parts.end() ? std::string() : part->second;
}

std::vector<ConversationId> ImportTest::All() {
  std::vector<ConversationId> ids;
  const auto infos = Must(log_->List("", 1000));
  for (const ConversationInfo& info : infos) ids.push_back(Id(info.id));
  return ids;
}

Seq ImportTest::Last(std::string_view conversation) {
  const auto info = log_->Info(Id(conversation));
  return info ? info->last : Seq{0};
}

void ImportTest::Append(std::string_view conversation, const Event& event) {
  Must(log_->Append(Id(conversation), event));
}

bool ImportTest::IsStored(const TempStore& store, std::string_view bytes) {
  return std::ranges::any_of(ReadTree(store.dir.path()), [&](const auto& file) { return file.second.contains(bytes); });
}

std::map<std::string, std::string> ReadTree(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().lexically_relative(folder).string()] = {std::istreambuf_iterator<char>(in), {}};
  }
  return files;
}

ConversationId Id(std::string_view text) { return Must(ConversationId::Parse(text)); }

}  // namespace turnlog
