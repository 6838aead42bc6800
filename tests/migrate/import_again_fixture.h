// Imports sources again, and tells what the log has of them.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/import/import_run.h"
#include "schema/event/import_event.h"
#include "tests/migrate/claude_code_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/must.h"
#include "turnlog/event_json.h"

namespace turnlog {

class ImportAgainFixture : public ImportTest {
 protected:
  ImportReport Import(const std::filesystem::path& path, std::string_view format = "auto") {
    return Must(turnlog::Import(*log_, format, {&path, 1}));
  }

  static void AppendTo(const std::filesystem::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary | std::ios::app) << text;
  }

  // The imported events as JSON, without the import records.
  std::vector<std::string> Imported(std::string_view conversation) {
    std::vector<std::string> lines;
    for (const Event& event : Events(conversation)) {
      if (!IsImportEvent(View(event))) lines.push_back(ToJson(View(event)));
    }
    return lines;
  }

  std::string Export(std::string_view conversation, std::string_view format) {
    std::string out;
    const auto sink = [&](std::string_view piece) { return out += piece, Status(); };
    const std::vector<ConversationId> ids{Id(conversation)};
    Must(ExportToStream(*log_, format, ids, sink, {.raw = true}));
    return out;
  }

  void ForgetSource(std::string_view conversation) { Must(log_->SetWatermark(kImportConsumer, Id(conversation), {})); }
};

}  // namespace turnlog
