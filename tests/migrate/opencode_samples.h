// Hand-made parts of opencode, and the rows of its database.
#pragma once

#include <string>

#include "tests/migrate/database_files.h"

namespace turnlog {

inline std::string OpencodeTextPart(const std::string& text, const std::string& more = "") {
  return R"({"type":"text","text":")" + text + "\"" + more + "}";
}

inline std::string OpencodeToolPart(const std::string& call, const std::string& name, const std::string& state) {
  return R"({"type":"tool","callID":")" + call + R"(","tool":")" + name + R"(","state":{)" + state + "}}";
}

inline const std::string kOpencodeTables =
    "CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, title TEXT, time_updated INTEGER);"
    "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data "
    "TEXT);"
    "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated "
    "INTEGER,"
    " data TEXT); CREATE TABLE todo (session_id TEXT, content TEXT); INSERT INTO session VALUES ('s','p','up','t',1);"
    "INSERT INTO todo VALUES ('s','later');";

// `time`: when it was made, in milliseconds.
inline std::string OpencodeMessageRow(const std::string& id, const std::string& info,
                                      const std::string& time = "1730000001000") {
  return "INSERT OR REPLACE INTO message VALUES (" + Quoted(id) + ",'s'," + time + ",1," + Quoted("{" + info + "}") +
         ");";
}

inline std::string OpencodePartRow(const std::string& id, const std::string& message, const std::string& data) {
  return "INSERT OR REPLACE INTO part VALUES (" + Quoted(id) + "," + Quoted(message) + ",'s',1730000001500,1," +
         Quoted(data) + ");";
}

}  // namespace turnlog
