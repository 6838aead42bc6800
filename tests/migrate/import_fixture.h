// A store and a folder of sources for one test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temp_dir.h"
#include "turnlog/log.h"
#include "turnlog/migrate/export.h"
#include "turnlog/migrate/import.h"

namespace turnlog {

class ImportTest : public ::testing::Test {
 protected:
  struct TempStore {
    TempStore();
    TempDir dir;
    std::unique_ptr<Log> log;
  };

  ImportTest() : log_(store_.log) {}

  // A file below the folder of this test, with the folders that it needs.
  std::filesystem::path Write(const std::filesystem::path& name, std::string_view text);
  // A conversation of jp in `folder`.
  std::filesystem::path WriteJp(std::string_view directory, std::string_view events,
                                const std::filesystem::path& folder = "jp/conversations");

  // Returns when a later change of any file of this test would be seen by its times.
  void Settle();

  // Fails the test if the log fails.
  ImportReport Jp(std::vector<std::filesystem::path> paths);
  ImportReport Jp() { return Jp({dir_ / "jp"}); }
  ImportReport Jsonl(std::vector<std::filesystem::path> paths);
  ImportReport Auto(std::vector<std::filesystem::path> paths);
  // The same; fails the test if there is a problem or note.
  ImportReport AutoSilently(std::vector<std::filesystem::path> paths);

  Result<ExportReport> ExportToJp(const std::vector<ConversationId>& ids, const std::filesystem::path& to,
                                  const ExportOptions& options = {});
  // What is written of a conversation that is exported as it was imported.
  std::map<std::string, std::string> ExportRaw(std::string_view format, std::string_view conversation);
  // The same as one text; fails the test if something cannot be exported.
  std::string ExportRawText(std::string_view format, std::string_view conversation);
  std::string ExportToJsonl(const std::vector<ConversationId>& ids, const ExportOptions& options = {});

  std::vector<Event> Events(std::string_view conversation);
  std::vector<std::string> Said(std::string_view conversation);  // the contents of its requests
  // What the conversation's import record has under this name; empty: nothing.
  std::string PartOf(std::string_view conversation, std::string_view name);
  std::vector<ConversationId> All();  // conversations
  Seq Last(std::string_view conversation);
  void Append(std::string_view conversation, const Event& event);
  // Whether any file of the store has the bytes.
  static bool IsStored(const TempStore& store, std::string_view bytes);
  bool IsStored(std::string_view bytes) const { return IsStored(store_, bytes); }

  TempDir dir_;
  TempStore store_;
  std::unique_ptr<Log>& log_;
};

// All files below a folder, by their relative names.
std::map<std::string, std::string> ReadTree(const std::filesystem::path& folder);

ConversationId Id(std::string_view text);

}  // namespace turnlog
