// The table in which newer versions of Codex list their sessions: `threads` of the newest state_<number>.sqlite.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "turnlog/result.h"
#include "turnlog/types.h"

struct sqlite3;

namespace turnlog {

struct CodexThread {
  std::string id, folder, title;
  std::filesystem::path rollout;
  Timestamp created, updated;
};

class CodexThreadIndex {
 public:
  // Null if there is none in the folder of Codex. kUnsupportedVersion: the table has a column that needs a value and is
  // not known.
  static Result<std::unique_ptr<CodexThreadIndex>> Open(const std::filesystem::path& root);
  ~CodexThreadIndex();

  const std::filesystem::path& path() const { return path_; }
  // False, and nothing: the thread is listed already. kBusy: another process writes to it.
  Result<bool> Add(const CodexThread& thread);

 private:
  CodexThreadIndex(std::filesystem::path path, sqlite3* database) : path_(std::move(path)), database_(database) {}
  Result<std::string> Columns() const;

  const std::filesystem::path path_;
  sqlite3* database_;
};

}  // namespace turnlog
