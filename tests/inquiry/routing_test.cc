#include "turnlog/inquiry/routing.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "turnlog/inquiry/cancellation.h"

namespace turnlog::routing_test {
namespace {

// Target (user, assistant, escalation, static), attended, policy, exclusive, secret, default, remembered, static fits,
// static names the question; * is anything. The rows exclude one another.
constexpr std::string_view kTable = R"(
u 0 *        * 1 * * * *  no_prompt_backend
a 0 *        * 1 * * * *  no_prompt_backend
e 0 *        * 1 * * * *  no_prompt_backend
u 1 *        * 1 * * * *  prompt
a 1 *        * 1 * * * *  assistant_routing_denied
e 1 *        * 1 * * * *  prompt
s * *        * 1 * * 1 1  static
s * *        * 1 * * 1 0  invalid_static_answer
s * *        * 1 * * 0 *  invalid_static_answer

* * *        * 0 * 1 * *  remembered

s * *        * 0 * 0 1 *  static
s * *        * 0 * 0 0 *  invalid_static_answer

u 1 *        * 0 * 0 * *  prompt
u 0 deny     * 0 * 0 * *  no_prompt_backend
u 0 defaults * 0 1 0 * *  default
u 0 defaults * 0 0 0 * *  no_prompt_backend
u 0 auto     0 0 * 0 * *  assistant
u 0 auto     1 0 * 0 * *  no_prompt_backend

a * *        0 0 * 0 * *  assistant
a * *        1 0 * 0 * *  assistant_routing_denied

e * *        0 0 * 0 * *  assistant
e 1 *        1 0 * 0 * *  prompt
e 0 deny     1 0 * 0 * *  no_prompt_backend
e 0 defaults 1 0 1 0 * *  default
e 0 defaults 1 0 0 0 * *  no_prompt_backend
e 0 auto     1 0 * 0 * *  no_prompt_backend
)";

struct Row {
  std::array<std::string, 9> inputs;
  std::string outcome;
};

std::vector<Row> Rows() {
  std::vector<Row> rows;
  std::istringstream lines{std::string(kTable)};
  for (std::string line; std::getline(lines, line);) {
    Row row;
    std::istringstream words(line);
    for (std::string& input : row.inputs) words >> input;
    if (words >> row.outcome) rows.push_back(row);
  }
  return rows;
}

constexpr std::array<std::string_view, 3> kPolicies{"deny", "defaults", "auto"};

std::array<std::string, 9> Describe(const RoutingInput& input) {
  const auto flag = [](bool value) { return std::string(value ? "1" : "0"); };
  return {std::string(1, "uaes"[static_cast<std::size_t>(input.target)]),
          flag(input.attended),
          std::string(kPolicies[static_cast<std::size_t>(input.detached)]),
          flag(input.exclusive),
          flag(input.secret),
          flag(input.has_default),
          flag(input.has_remembered),
          flag(input.static_fits),
          flag(input.static_names_question)};
}

std::vector<RoutingInput> AllInputs() {
  std::vector<RoutingInput> inputs;
  for (unsigned bits = 0; bits < 4 * 3 * 128; ++bits) {
    const unsigned flags = bits / 12;
    inputs.push_back({.target = static_cast<TargetKind>(bits % 4),
                      .attended = (flags & 1U) != 0,
                      .detached = static_cast<DetachedPolicy>(bits / 4 % 3),
                      .exclusive = (flags & 2U) != 0,
                      .secret = (flags & 4U) != 0,
                      .has_default = (flags & 8U) != 0,
                      .has_remembered = (flags & 16U) != 0,
                      .static_fits = (flags & 32U) != 0,
                      .static_names_question = (flags & 64U) != 0});
  }
  return inputs;
}

std::string Name(const Route& route) {
  constexpr std::array<std::string_view, 5> kNames{"prompt", "assistant", "default", "static", "remembered"};
  return std::string(route.kind == RouteKind::kFail ? route.reason : kNames[static_cast<std::size_t>(route.kind)]);
}

TEST(Routing, EveryCombinationGoesWhereTheTableSays) {
  const std::vector<Row> rows = Rows();
  std::map<std::size_t, int> used;
  for (const RoutingInput& input : AllInputs()) {
    const auto words = Describe(input);
    std::vector<std::size_t> matching;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      bool matches = true;
      for (std::size_t column = 0; column < words.size(); ++column) {
        matches = matches && (rows[i].inputs[column] == "*" || rows[i].inputs[column] == words[column]);
      }
      if (matches) matching.push_back(i);
    }
    ASSERT_EQ(matching.size(), 1U) << testing::PrintToString(words);
    ++used[matching.front()];
    EXPECT_EQ(Name(DecideRoute(input)), rows[matching.front()].outcome) << testing::PrintToString(words);
  }
  EXPECT_EQ(used.size(), rows.size());
}

TEST(Routing, ASecretNeverGoesToTheAssistantAndWithoutAPersonOnlyFromAnAnswerGivenForIt) {
  for (const RoutingInput& input : AllInputs()) {
    if (!input.secret) continue;
    const RouteKind kind = DecideRoute(input).kind;
    EXPECT_THAT(kind, testing::AnyOf(RouteKind::kPrompt, RouteKind::kUseStatic, RouteKind::kFail));
    EXPECT_TRUE(input.attended || kind == RouteKind::kFail || input.static_names_question);
  }
}

TEST(Routing, ExclusiveQuestionsFailRatherThanGoToTheAssistant) {
  for (const RoutingInput& input : AllInputs()) {
    if (!input.exclusive) continue;
    EXPECT_NE(DecideRoute(input).kind, RouteKind::kAskAssistant);
  }
}

TEST(Routing, EveryFailureSaysWhy) {
  for (const RoutingInput& input : AllInputs()) {
    const Route route = DecideRoute(input);
    EXPECT_EQ(route.kind == RouteKind::kFail, !route.reason.empty());
  }
}

TEST(Routing, OnlyEscalationGoesOnWhenTheAssistantSaysNo) {
  for (const DetachedPolicy policy : {DetachedPolicy::kDeny, DetachedPolicy::kDefaults, DetachedPolicy::kAuto}) {
    for (const bool has_default : {false, true}) {
      for (const TargetKind other : {TargetKind::kUser, TargetKind::kAssistant, TargetKind::kStatic}) {
        for (const bool attended : {false, true}) {
          EXPECT_EQ(DecideEscalation(other, attended, policy, has_default), Escalation::kNone);
        }
      }
      const TargetKind target = TargetKind::kAssistantWithEscalation;
      EXPECT_EQ(DecideEscalation(target, true, policy, has_default), Escalation::kPrompt);
      const bool by_default = policy == DetachedPolicy::kDefaults && has_default;
      EXPECT_EQ(DecideEscalation(target, false, policy, has_default),
                by_default ? Escalation::kUseDefault : Escalation::kNone);
    }
  }
}

TEST(Routing, PoliciesHaveNames) {
  EXPECT_EQ(ParseDetachedPolicy("deny"), DetachedPolicy::kDeny);
  EXPECT_EQ(ParseDetachedPolicy("defaults"), DetachedPolicy::kDefaults);
  EXPECT_EQ(ParseDetachedPolicy("auto"), DetachedPolicy::kAuto);
  EXPECT_EQ(ParseDetachedPolicy("Auto"), std::nullopt);
}

}  // namespace
}  // namespace turnlog::routing_test
