#include "migrate/opencode/storage.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/try.h"
#include "migrate/opencode/converter.h"
#include "migrate/opencode/id_order.h"
#include "migrate/opencode/session_reader.h"
#include "migrate/records/probe_records.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// From the folder of a session's file.
constexpr std::string_view kMessages = "../../message/", kParts = "../../part/";

bool IsJsonFile(std::string_view name) { return name.ends_with(".json"); }

// Files of messages, or of the parts of one, in their order.
std::vector<std::string> JsonFilesIn(const Surroundings& around, const std::string& folder) {
  std::vector<std::string> files;
  for (const std::string& name : around.list(folder)) {
    if (IsJsonFile(name)) files.push_back(folder + "/" + name);
  }
  OrderByTimeOfIds(files, NameOf);
  return files;
}

// The files of a session are named after it, but for those of some versions.
std::vector<std::string> MessagesOf(const Surroundings& around) {
  std::vector<std::string> files = JsonFilesIn(around, std::string(kMessages) + StemOf(around.name));
  if (!files.empty()) return files;
  const std::string head = around.head();
  const auto session = IsOpencodeSession(head) ? FindJsonString(head, "id") : std::nullopt;
  if (!session || session->contains('/')) return files;
  return JsonFilesIn(around, std::string(kMessages) + *session);
}

// The texts of the files, each after its name.
class Files final : public OpencodeTexts {
 public:
  explicit Files(Source& source) : source_(source) {}

  Result<std::string> Header() override {
    SourceFile& session = source_.files.front();
    return Marked(session) + TURNLOG_TRY(session.ReadAll());
  }

  Result<std::optional<Text>> Next() override {
    if (next_ == source_.files.size()) return std::nullopt;
    if (next_ == 1) TURNLOG_TRY(FindLastAnswer());
    SourceFile& file = source_.files[next_++];
    const std::string text = TURNLOG_TRY(file.ReadAll());
    const std::string_view trimmed = TrimJsonSpace(text);
    const auto begin = static_cast<std::size_t>(trimmed.data() - text.data()), end = begin + trimmed.size();
    return Text{IsMessage(file),      false,           next_ > answer_, Marked(file) + text.substr(0, begin),
                std::string(trimmed), text.substr(end)};
  }

 private:
  static bool IsMessage(const SourceFile& file) { return file.name().starts_with(kMessages); }

  Status FindLastAnswer() {
    for (answer_ = source_.files.size(); --answer_ > 0;) {
      SourceFile& file = source_.files[answer_];
      if (!IsMessage(file)) continue;
      const std::string text = TURNLOG_TRY(file.ReadAll());
      if (IsOpencodeAnswer(JsonObject::Parse(TrimJsonSpace(text)).value_or(JsonObject()))) break;
    }
    return {};
  }

  // By its path from the folder of the session's file.
  std::string Marked(const SourceFile& file) const {
    const bool session = &file == &source_.files.front();
    return kFileMark + (session ? "../" + source_.folder + "/" : "") + file.name() + "\n";
  }

  Source& source_;
  std::size_t answer_ = 0;  // the assistant's last message; 0: there is none
  std::size_t next_ = 1;
};

}  // namespace

bool IsOpencodeSession(std::string_view head) {
  const auto time = FindJsonField(head, "time");
  return FindJsonString(head, "id") && FindJsonString(head, "projectID") && FindJsonString(head, "title") && time &&
         FindJsonField(time->value, "created");
}

// The messages are in a folder with the name of the session's file.
bool HasOpencodeMessages(const FileProbe& probe) {
  return probe.name.ends_with(".json") && probe.has_folder &&
         probe.has_folder(std::string(kMessages) + StemOf(probe.name)) && probe.has_folder(kParts);
}

bool IsOpencodeCompanion(std::string_view folder, std::span<const std::string> beside) {
  return (folder == "message" || folder == "part") && std::ranges::find(beside, "session") != beside.end();
}

std::vector<std::string> OpencodeSessionFiles(const Surroundings& around) {
  std::vector<std::string> files;
  const std::vector<std::string> messages = MessagesOf(around);
  if (messages.empty()) return files;
  // Parts of the first versions are in one folder for all messages.
  const auto& loose = around.by_field(std::string(kParts), "messageID");
  for (const std::string& file : messages) {
    files.push_back(file);
    std::string message = StemOf(NameOf(file));
    std::vector<std::string> parts = JsonFilesIn(around, std::string(kParts) + message);
    if (parts.empty()) {
      message = FindJsonString(around.read(file), "id").value_or(message);
      if (!message.contains('/')) parts = JsonFilesIn(around, std::string(kParts) + message);
    }
    if (const auto found = loose.find(message); found != loose.end()) {
      for (const std::string& name : found->second) files.push_back(std::string(kParts) + name);
    }
    std::ranges::move(parts, std::back_inserter(files));
  }
  return files;
}

bool IsOpencodeStorage(Source& source) {
  return source.files.size() > 1 || IsOpencodeSession(source.files.front().Head(kProbeBytes).value_or(std::string()));
}

std::vector<RecordFile> OpencodeStorage(Source& source) {
  SourceFile& file = source.files.front();
  const std::string head = file.Head(kProbeBytes).value_or(std::string());
  auto current = std::make_shared<OpencodeMessage>();
  std::vector<RecordFile> files;
  files.push_back({&file, FindJsonString(head, "id").value_or(IdOfFile(file.name())),
                   std::make_unique<OpencodeConverter>(current)});
  files.back().rows = std::make_unique<OpencodeSessionReader>(std::make_unique<Files>(source), current);
  const auto parent = FindJsonString(head, "parentID");
  files.back().parts.push_back(LayoutPart("parts"));
  if (parent) files.back().parts.push_back({.name = "parent", .bytes = *parent});
  return files;
}

}  // namespace turnlog
