// The rules of sessions, and their table in docs/doctor.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "tests/doctor/session_files.h"
#include "tests/support/source_dir.h"

namespace turnlog::session_rules_test {
namespace {

std::string Table() {
  std::string table = "| id | requirement | verdict | cure |\n| --- | --- | --- | --- |\n";
  for (const SessionRule& rule : SessionRules()) {
    table.append("| `").append(rule.id).append("` | ").append(rule.requirement).append(" | ");
    table.append(ToString(rule.verdict)).append(" | ").append(rule.cure.empty() ? "none" : rule.cure).append(" |\n");
  }
  return table;
}

TEST(SessionRules, AreThoseOfTheDocument) {
  const std::filesystem::path file = SourceDir() / "docs/doctor.md";
  const std::string text = TextOf(file);
  const std::size_t table = std::min(text.find("| id | requirement |"), text.size());
  if (std::getenv("TURNLOG_UPDATE_GOLDEN") != nullptr) WriteText(file, text.substr(0, table) + Table());
  EXPECT_EQ(text.substr(table), Table());
}

TEST(SessionRules, HaveIdsThatNoProvidersRuleHas) {
  std::set<std::string_view> ids;
  for (const SessionRule& rule : SessionRules()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_EQ(FindProviderRule(rule.id), nullptr) << rule.id;
    EXPECT_EQ(FindSessionRule(rule.id), &rule);
  }
  EXPECT_EQ(FindSessionRule("nonsense"), nullptr);
}

}  // namespace
}  // namespace turnlog::session_rules_test
