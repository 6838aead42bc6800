#include "doctor/database_kind.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "base/try.h"
#include "doctor/row_data.h"
#include "migrate/langgraph/threads.h"
#include "migrate/openai_agents/sessions.h"
#include "migrate/opencode/database.h"
#include "migrate/sources/descriptor.h"

namespace turnlog {
namespace {

constexpr std::array<DatabaseKind, 3> kKinds{
    {{"openai-agents", UsualAgentsSessions, CheckAgentsRows, "message_data"},
     {"opencode", OpencodeDatabase, CheckOpencodeRows, "data", true,
      "SELECT DISTINCT session_id FROM message WHERE session_id NOT IN (SELECT id FROM session)"},
     {"langgraph", LangGraphThreads, CheckLangGraphThread, {}, false}}};
// Those of the column `data` above.
constexpr std::array<std::string_view, 3> kDataTables{"agent_messages", "message", "part"};

bool IsUnclear(const DatabaseKind& kind, std::string_view row) {
  const auto columns = JsonObject::Parse(row);
  if (!columns) return true;
  const bool has_data = std::ranges::find(kDataTables, columns->String("table").value_or("")) != kDataTables.end();
  return has_data && ReadRowData((*columns)[kind.data]) == RowData::kUnclear;
}

}  // namespace

const DatabaseKind* FindDatabaseKind(std::string_view format) {
  const auto found = std::ranges::find(kKinds, format, &DatabaseKind::format);
  return found == kKinds.end() ? nullptr : &*found;
}

Result<SessionRows> ReadSessionRows(const DatabaseKind& kind, PieceReader& rows,
                                    const std::filesystem::path& database) {
  std::unique_ptr<Descriptor> text = TURNLOG_TRY(OpenUnnamed(database));
  bool is_read = true;
  for (;;) {
    const RecordPiece piece = TURNLOG_TRY(rows.Next());
    is_read &= piece.kind != RecordPiece::Kind::kDamage;
    TURNLOG_TRY(text->Append(piece.lead));
    for (std::string_view rest = piece.bytes; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string row = WithObjectOf(rest.substr(0, end), kind.data);
      is_read &= row.empty() || !IsUnclear(kind, row);
      TURNLOG_TRY(text->Append(row));
      TURNLOG_TRY(text->Append(rest.substr(end, 1)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (piece.kind == RecordPiece::Kind::kEnd) break;
  }
  return SessionRows{{database.filename().string(), std::shared_ptr<ByteSource>(std::move(text))}, is_read};
}

}  // namespace turnlog
