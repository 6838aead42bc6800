// Every source format in every target format: what was imported and sanitized is accepted by each provider, and loaded
// whole by each tool, by statements of their rules that share nothing with the readers and writers.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "migrate/sessions/export_session.h"
#include "migrate/sessions/loaded_session.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/generated_sessions.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/must.h"
#include "tests/support/source_dir.h"
#include "turnlog/migrate/session_tool.h"
#include "turnlog/providers/lint.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog::export_matrix_test {
namespace {

namespace fs = std::filesystem;

class ExportMatrixTest : public ImportTest {
 protected:
  // Returns how many conversations came in that have something to go on with.
  static int ImportAndExport(const fs::path& source, std::string_view format) {
    const TempStore store;
    (void)Must(Import(*store.log, format, {&source, 1}));
    int exported = 0;
    for (const ConversationInfo& info : Must(store.log->List("", 1000))) {
      SCOPED_TRACE(fmt::format("{} of {}", info.id, source.string()));
      const ConversationId id = Id(info.id);
      Must(Sanitize(*store.log, id, {.durability = Durability::kBuffered}));
      for (const Provider provider : AllProviders()) Request(*store.log, provider, id);
      for (const SessionTool tool : AllSessionTools()) exported += Load(*store.log, tool, id) ? 1 : 0;
    }
    return exported;
  }

 private:
  static void Request(Log& log, Provider provider, const ConversationId& id) {
    std::string request;
    const auto sink = [&](std::string_view piece) { return request += piece, Status(); };
    const ExportReport report = Must(ExportToStream(log, ToString(provider), {&id, 1}, sink));
    EXPECT_TRUE(report.failures.empty());
    for (const ProviderFinding& finding : Must(LintRequest(provider, request))) {
      ADD_FAILURE() << ToString(provider) << ": " << finding.rule->id << " at " << finding.pointer << " in " << request;
    }
  }

  // False: it has nothing to go on with.
  static bool Load(Log& log, SessionTool tool, const ConversationId& id) {
    std::string session;
    ExportReport report;
    const auto sink = [&](std::string_view piece) { return session += piece, Status(); };
    const Status made = MakeSession(log, tool, id, sink, {}, report);
    if (!made) {
      EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument) << made.error().message;
      return false;
    }
    const LoadedSession loaded = Must(LoadSession(tool, session));
    EXPECT_EQ(loaded.unreachable, 0U) << session;
    for (const ProviderFinding& finding : Must(LintRequest(loaded.provider, loaded.messages))) {
      EXPECT_EQ(finding.rule->verdict, Verdict::kRisk)
          << ToString(tool) << ": " << finding.rule->id << " in " << session;
    }
    return true;
  }
};

// Each by itself, because many have the id of another. Of some there is nothing to go on with.
TEST_F(ExportMatrixTest, OfDamagedSessions) {
  const auto tools = static_cast<int>(AllSessionTools().size());
  int formats = 0;
  for (const auto& format : fs::directory_iterator(SourceDir() / "tests/fixtures/damaged")) {
    if (!format.is_directory()) continue;
    int exported = 0;
    for (const auto& session : fs::directory_iterator(format.path())) exported += ImportAndExport(session, "auto");
    EXPECT_GE(exported, 4 * tools) << format.path();
    ++formats;
  }
  EXPECT_EQ(formats, 10);
}

TEST_F(ExportMatrixTest, OfDamagedSessionsInDatabases) {
  for (const std::string name : {"langgraph", "openai-agents", "opencode"}) {
    const fs::path path = dir_ / (name + ".db");
    std::ifstream in(SourceDir() / "tests/fixtures/damaged" / (name + ".sql"));
    const std::string sql(std::istreambuf_iterator<char>(in), {});
    TestDatabase(path).Run(sql);
    EXPECT_GT(ImportAndExport(path, "auto"), 0) << name;
  }
}

TEST_F(ExportMatrixTest, OfGeneratedSessions) {
  const std::uint64_t sessions = SampleSize(9, 100);
  for (const GeneratedKind& kind : GeneratedKinds()) {
    const bool is_jp = kind.format == "jp";
    int exported = 0;
    for (std::uint64_t seed = 1; seed <= sessions; ++seed) {
      SCOPED_TRACE(seed);
      Generator any(seed);
      const fs::path path = Write(fmt::format("{}{}/{}", kind.format, seed, kind.file), kind.make(any));
      if (is_jp) std::ofstream(path.parent_path() / "base_config.json") << "{}\n";
      exported += ImportAndExport(is_jp ? path.parent_path() : path, kind.format);
      if (HasFailure()) return;
    }
    EXPECT_GT(exported, 0) << kind.format;
  }
}

}  // namespace
}  // namespace turnlog::export_matrix_test
