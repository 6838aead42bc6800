// The tables of the OpenAI Agents SDK, and their rows.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/migrate/database_files.h"

namespace turnlog::agents_database {

inline const std::string kTables =
    "CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,"
    "  updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);"
    "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,"
    "  message_data TEXT NOT NULL, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);"
    "CREATE INDEX idx_agent_messages_session_id ON agent_messages (session_id, id);";

inline std::string Session(const std::string& id) {
  return "INSERT INTO agent_sessions VALUES (" + Quoted(id) + ",'2026-01-31 10:00:00','2026-01-31 10:00:00');";
}

inline std::string Message(const std::string& session, const std::string& data) {
  return "INSERT INTO agent_messages (session_id, message_data, created_at) VALUES (" + Quoted(session) + "," +
         Quoted(data) + ",'2026-01-31 10:00:05');";
}

inline const std::string kBranches =
    "CREATE TABLE message_structure (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,"
    " message_id INTEGER NOT NULL, branch_id TEXT NOT NULL DEFAULT 'main', message_type TEXT NOT NULL,"
    " sequence_number INTEGER NOT NULL);";

inline std::string PlaceIn(const std::string& branch, int message, int number) {
  return fmt::format(
      "INSERT INTO message_structure (session_id,message_id,branch_id,message_type,sequence_number)"
      " VALUES ('s',{},'{}','user',{});",
      message, branch, number);
}

}  // namespace turnlog::agents_database
