// docs/openapi.json describes the routes that there are.
#include "service/routes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <set>
#include <sstream>

#include "schema/json/json_tree.h"
#include "tests/support/must.h"
#include "tests/support/source_dir.h"

namespace turnlog::routes_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string ReadDocument(const std::string& name) {
  std::ifstream file(SourceDir() / "docs" / name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(RoutesTest, AreThoseOfTheDocument) {
  const Json document = Must(ParseJson(ReadDocument("openapi.json")));
  const JsonNode root = ParseTree(document);
  std::set<std::string> documented, real;
  for (const JsonNode& path : root.Find("paths")->fields) {
    for (const JsonNode& operation : path.fields) {
      std::string method = operation.key;
      for (char& c : method) c = static_cast<char>(c - 'a' + 'A');
      documented.insert(fmt::format("{} {} {}", method, path.key, operation.Find("operationId")->string));
    }
  }
  for (const ServiceRoute& route : Routes()) {
    real.insert(fmt::format("{} {} {}", route.method, route.pattern, route.operation));
  }
  EXPECT_EQ(documented, real);
}

TEST(RoutesTest, AreExplained) {
  const std::string text = ReadDocument("http_api.md");
  for (const ServiceRoute& route : Routes()) EXPECT_THAT(text, HasSubstr(std::string(route.pattern)));
}

TEST(RoutesTest, AreFoundByMethodAndPath) {
  const RouteMatch match = FindRoute("GET", "/v1/conversations/a%2Fb%20c/watermarks/sanitize");
  ASSERT_NE(match.route, nullptr);
  EXPECT_EQ(match.route->operation, "getWatermark");
  EXPECT_THAT(match.parameters, ElementsAre("a/b c", "sanitize"));
  EXPECT_EQ(FindRoute("HEAD", "/healthz").route->operation, "getHealth");
  EXPECT_EQ(FindRoute("GET", "/v1/conversations").route->operation, "listConversations");
}

TEST(RoutesTest, OtherPathsAndMethodsHaveNone) {
  EXPECT_EQ(FindRoute("GET", "/").route->operation, "getPage");
  for (const char* path : {"", "v1", "/v1", "/v1/conversations/", "/v1/conversations/a/b", "/healthz/", "//healthz",
                           "/v1/conversations/%zz"}) {
    const RouteMatch match = FindRoute("GET", path);
    EXPECT_TRUE(match.route == nullptr || match.parameters == std::vector<std::string>{""}) << path;
    EXPECT_FALSE(match.other_method) << path;
  }
  const RouteMatch match = FindRoute("DELETE", "/v1/conversations/a/events");
  EXPECT_EQ(match.route, nullptr);
  EXPECT_TRUE(match.other_method);
}

}  // namespace
}  // namespace turnlog::routes_test
