// What docs/openapi.json says of parameters and answers is what the service takes and gives.
#include <fmt/format.h>

#include <deque>
#include <fstream>
#include <map>
#include <sstream>

#include "inquiry/json_schema.h"
#include "schema/json/json_tree.h"
#include "tests/service/service_fixture.h"
#include "tests/support/source_dir.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog::openapi_test {
namespace {

using testing::IsEmpty;

const std::vector<std::string> kLines{
    R"({"type":"turn_start","timestamp":"2026-03-18T13:19:00Z"})",
    R"({"type":"chat_request","content":"go on"})",
    R"({"type":"tool_call_request","id":"d","name":"sh","arguments":{"x":2}})",
    R"({"type":"tool_call_response","id":"d","content":"no","is_error":true,"denied":{"reason":"bad","responder":{"kind":"user"},"arguments_hash":"0"}})",
    R"({"type":"tool_call_request","id":"c","name":"sh","arguments":{"x":1}})",
    R"({"type":"inquiry_request","key":{"tool_call":"c","question":"q","attempt":1},"source":{"source":"tool","name":"sh"},"question":{"text":"Which?","answer_type":{"type":"text"}}})",
};
const std::vector<std::string> kOrphan{R"({"type":"turn_start"})",
                                       R"({"type":"tool_call_request","id":"o","name":"sh","arguments":{}})",
                                       R"({"type":"turn_start"})"};

class OpenApiTest : public ServiceTest {
 protected:
  OpenApiTest() {
    std::ifstream file(SourceDir() / "docs" / "openapi.json");
    std::ostringstream text;
    text << file.rdbuf();
    text_ = text.str();
    document_ = Must(ParseJson(text_));
    root_ = ParseTree(document_);
    Append("a", kLines);
    Append("b", kOrphan);
    Must(Sanitize(service_->log(), Id("b")));
    Must(log_->SetWatermark("reader", Id("a"), {{1}, "state"}));
    EXPECT_EQ(Post("/v1/jobs", R"({"kind":"stats"})").status, 202);
    const JsonNode jobs = TreeOf(Get("/v1/jobs").body);
    values_["job"] = jobs.Find("jobs")->elements.front().Find("id")->string;
  }

  void Append(const std::string& conversation, const std::vector<std::string>& lines) {
    ASSERT_EQ(Post("/v1/conversations/" + conversation + "/events", fmt::format("{}", fmt::join(lines, "\n"))).status,
              200);
  }
  JsonNode TreeOf(const std::string& json) {
    kept_.push_back(Must(ParseJson(json)));
    return ParseTree(kept_.back());
  }

  struct Operation {
    std::string path, id;
    const JsonNode* node;
  };
  std::vector<Operation> Gets() const {
    std::vector<Operation> found;
    for (const JsonNode& path : root_.Find("paths")->fields) {
      const JsonNode* const get = path.Find("get");
      if (get != nullptr) found.push_back({path.key, get->Find("operationId")->string, get});
    }
    return found;
  }

  static std::vector<JsonNode> ParametersOf(const Operation& operation) {
    const JsonNode* const parameters = operation.node->Find("parameters");
    return parameters == nullptr ? std::vector<JsonNode>() : parameters->elements;
  }
  // With a value for each parameter that it needs, and for the ones of these names.
  std::string TargetOf(const Operation& operation, const std::string& also = {}) {
    std::string path = operation.path, query;
    for (const JsonNode& parameter : ParametersOf(operation)) {
      const std::string name = parameter.Find("name")->string, value = ValueOf(parameter);
      if (parameter.Find("in")->string == "path") {
        path.replace(path.find('{' + name + '}'), name.size() + 2, value);
      } else if (parameter.Find("required")->is_true() || name == also) {
        query += fmt::format("{}{}={}", query.empty() ? '?' : '&', name, value);
      }
    }
    return path + query;
  }
  std::string ValueOf(const JsonNode& parameter) {
    const auto known = values_.find(parameter.Find("name")->string);
    if (known != values_.end()) return known->second;
    const JsonNode& schema = *parameter.Find("schema");
    if (const JsonNode* const words = schema.Find("enum")) return words->elements.front().string;
    return schema.Find("type")->string == "boolean" ? "true" : "1";
  }

  // Null: none, if all goes well.
  static const JsonNode* ContentOf(const Operation& operation) {
    const JsonNode* const response = operation.node->Find("responses")->Find("200");
    return response == nullptr ? nullptr : response->Find("content");
  }
  // Null: not JSON, or none.
  static const JsonNode* SchemaOf(const Operation& operation) {
    const JsonNode* const content = ContentOf(operation);
    const JsonNode* const json = content == nullptr ? nullptr : content->Find("application/json");
    return json == nullptr ? nullptr : json->Find("schema");
  }
  static bool EndsByItself(const Operation& operation) {
    const JsonNode* const content = ContentOf(operation);
    return content != nullptr && content->Find("text/event-stream") == nullptr;
  }

  const JsonNode& Resolved(const JsonNode& schema) const {
    const JsonNode* const reference = schema.Find("$ref");
    return reference == nullptr ? schema : *ResolveReference(root_, reference->string);
  }
  // Fields of an answer that its schema does not name, where it names any.
  void FindUndocumented(const JsonNode& named, const JsonNode& value, const std::string& at,
                        std::vector<std::string>& found) const {
    const JsonNode& schema = Resolved(named);
    if (const JsonNode* const items = schema.Find("items")) {
      for (const JsonNode& element : value.elements) FindUndocumented(*items, element, at + "[]", found);
    }
    const JsonNode* const properties = schema.Find("properties");
    if (properties == nullptr) return;
    for (const JsonNode& field : value.fields) {
      const JsonNode* const property = properties->Find(field.key);
      if (property == nullptr) {
        found.push_back(fmt::format("{}.{}", at, field.key));
      } else {
        FindUndocumented(*property, field, fmt::format("{}.{}", at, field.key), found);
      }
    }
  }

  std::string text_;
  Json document_;
  JsonNode root_;
  std::deque<Json> kept_;
  std::map<std::string, std::string> values_{
      {"conversation", "a"}, {"consumer", "reader"}, {"id", "c.q.1"}, {"inquiry", "c.q.1"},      {"tool_call", "c"},
      {"question", "q"},     {"wait", "0"},          {"text", "go"},  {"changed_for", "reader"}, {"file", "main.js"}};
};

TEST_F(OpenApiTest, AnswersAreAsDocumented) {
  int checked = 0;
  for (const Operation& operation : Gets()) {
    const JsonNode* const schema = SchemaOf(operation);
    if (schema == nullptr || operation.id == "getSession") continue;  // there is no session here: sessions_test.cc
    const Reply reply = Get(TargetOf(operation));
    ASSERT_EQ(reply.status, 200) << operation.id << reply.body;
    const JsonNode value = TreeOf(reply.body);
    const std::string components = text_.substr(text_.find("\"components\""));
    const JsonNode within = TreeOf(fmt::format(R"({{"allOf":[{}],{})", schema->text, components));
    EXPECT_EQ(FindSchemaFault(within, value, operation.id).value_or(""), "");
    std::vector<std::string> undocumented;
    FindUndocumented(*schema, value, operation.id, undocumented);
    EXPECT_THAT(undocumented, IsEmpty());
    ++checked;
  }
  EXPECT_GT(checked, 14);
}

TEST_F(OpenApiTest, DocumentedParametersAreTakenAndNoOthers) {
  int taken = 0;
  for (const Operation& operation : Gets()) {
    if (!EndsByItself(operation) || operation.id == "getSession" || operation.path.starts_with("/page/")) continue;
    for (const JsonNode& parameter : ParametersOf(operation)) {
      const std::string name = parameter.Find("name")->string;
      if (parameter.Find("in")->string != "query") continue;
      if (operation.id == "followTail" && name == "from") continue;  // a position: event_stream_test.cc
      const bool parts =
          operation.id == "findAttempts" && (name == "tool_call" || name == "question" || name == "attempt");
      if (parts) continue;  // only together
      const Reply reply = Get(TargetOf(operation, name));
      EXPECT_LT(reply.status, 300) << operation.id << ' ' << name << ' ' << reply.body;
      ++taken;
    }
    const std::string target = TargetOf(operation);
    const Reply unknown = Get(fmt::format("{}{}such=1", target, target.contains('?') ? '&' : '?'));
    EXPECT_EQ(unknown.status, 400) << operation.id;
  }
  EXPECT_GT(taken, 25);
  EXPECT_EQ(Get("/v1/conversations/a/attempts?id=c.q.1&tool_call=c&question=q&attempt=1").status, 200);
}

}  // namespace
}  // namespace turnlog::openapi_test
