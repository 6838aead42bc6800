// The messages of version 2 of opencode in a session: rows of one table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "migrate/sqlite/database.h"

namespace turnlog {

// A session that version 2 took over has copies of its older messages there, which are none of these.
class OpencodeWholeRows {
 public:
  static Result<OpencodeWholeRows> Find(const std::shared_ptr<const Database>& database, const std::string& session);
  // Whether a database may have them.
  static bool AreIn(const Database& database);

  // A condition for those rows of the table that are none of these; empty: all are.
  const std::string& others() const { return others_; }
  bool has_answers() const { return answers_ > 0; }

  struct Row {
    std::string text;
    bool is_last = false;  // no message of the assistant follows it
  };
  Result<std::optional<Row>> Next();

 private:
  std::string others_;
  std::optional<Statement> rows_;
  std::size_t answers_ = 0;  // up to the last message of the assistant
  std::size_t next_ = 0;
};

}  // namespace turnlog
