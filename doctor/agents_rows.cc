// What OpenAI's Responses API requires of a session in a database of its Agents SDK.
#include <fmt/format.h>

#include <string>

#include "doctor/response_items.h"
#include "doctor/row_data.h"
#include "doctor/session_checks.h"

namespace turnlog {
namespace {

class AgentsRows final : public SessionChecks {
 public:
  explicit AgentsRows(const CheckContext& context) : context_(context), items_(context, NewRow) {}

  void Take(const SessionRecord& record, const RecordPiece& piece) override {
    const JsonObject& row = record.object();
    if (row.String("table") != "agent_messages") return;
    const std::string_view data = row["message_data"];
    switch (ReadRowData(data)) {
      case RowData::kObject:
        (void)items_.Take(record, piece, row.Object("message_data"), {});
        break;
      case RowData::kUnclear:
        context_.diagnosis.Add("agents-row", record, false, std::string(kUnclearRow));
        break;
      case RowData::kNoJson:
        context_.diagnosis.Add("agents-row", record, context_.can_remove);
        if (context_.can_remove) context_.records.Remove(piece);
    }
  }

  void Finish() override { (void)items_.Finish(); }

 private:
  // What else a row has is that of the one before it.
  static std::string NewRow(const std::string& item, const std::string& /*around*/) {
    return fmt::format(R"({{"table":"agent_messages","id":null,"message_data":{}}})", item);
  }

  const CheckContext context_;
  ResponseItems items_;
};

}  // namespace

std::unique_ptr<SessionChecks> CheckAgentsRows(const CheckContext& context) {
  return std::make_unique<AgentsRows>(context);
}

}  // namespace turnlog
