// No member of a public type gives a pointer or a view into a temporary: what looks like it either gives a value, or
// does not compile. Everything here is checked by the compiler.
#include <gtest/gtest.h>

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "base/secret_string.h"
#include "schema/json/json_tree.h"
#include "turnlog/boxed.h"
#include "turnlog/event.h"
#include "turnlog/event_json.h"
#include "turnlog/inquiry/form.h"
#include "turnlog/json.h"
#include "turnlog/redaction/redact.h"
#include "turnlog/turn_state.h"
#include "turnlog/types.h"

namespace turnlog::temporaries_test {
namespace {

// Whether `call` takes it: an lvalue, or a temporary.
template <class T, class Call>
concept TakesLvalue = std::invocable<Call, const T&>;
template <class T, class Call>
concept TakesTemporary = std::invocable<Call, T> || std::invocable<Call, const T>;

// Each of these must compile for objects that live on, and must not for temporaries.
template <class T, class Call>
consteval bool IsForLvaluesOnly(Call) {
  return TakesLvalue<T, Call> && !TakesTemporary<T, Call>;
}

#define TURNLOG_CALL(expression) \
  [](auto&& it) -> decltype(std::forward<decltype(it)>(it).expression) { std::unreachable(); }
#define TURNLOG_FUNCTION(name) [](auto&& it) -> decltype(name(std::forward<decltype(it)>(it))) { std::unreachable(); }

static_assert(IsForLvaluesOnly<TurnState>(TURNLOG_CALL(calls())));
static_assert(IsForLvaluesOnly<TurnState>(TURNLOG_CALL(questions())));
static_assert(IsForLvaluesOnly<TurnState>(TURNLOG_CALL(InquiriesOf(std::declval<const OpenCall&>()))));
static_assert(IsForLvaluesOnly<TurnState>(TURNLOG_CALL(CallOf(std::declval<const InquiryState&>()))));
static_assert(IsForLvaluesOnly<TurnState>(TURNLOG_CALL(FindCall(""))));
static_assert(IsForLvaluesOnly<TurnState>(TURNLOG_CALL(FindQuestion(""))));
static_assert(IsForLvaluesOnly<Boxed<std::string>>(TURNLOG_CALL(operator*())));
static_assert(IsForLvaluesOnly<Boxed<std::string>>(TURNLOG_CALL(operator->())));
static_assert(IsForLvaluesOnly<EventParser>(TURNLOG_CALL(envelope())));
static_assert(IsForLvaluesOnly<Redaction>(TURNLOG_CALL(plan())));
static_assert(IsForLvaluesOnly<SecretString>(TURNLOG_CALL(view())));
static_assert(IsForLvaluesOnly<JsonNode>(TURNLOG_CALL(Find(""))));
static_assert(IsForLvaluesOnly<Event>(TURNLOG_FUNCTION(View)));
static_assert(IsForLvaluesOnly<Json>(TURNLOG_FUNCTION(ParseTree)));
static_assert(IsForLvaluesOnly<Form>([](auto&& it) -> decltype(FormWalk(std::forward<decltype(it)>(it))) {
  std::unreachable();
}));
static_assert(IsForLvaluesOnly<Form>([](auto&& it) -> decltype(ReplayForm(std::forward<decltype(it)>(it), {})) {
  std::unreachable();
}));

#undef TURNLOG_CALL
#undef TURNLOG_FUNCTION

// Texts of temporaries are copies.
static_assert(std::same_as<decltype(std::declval<Json>().text()), std::string>);
static_assert(std::same_as<decltype(std::declval<const Json&>().text()), const std::string&>);
static_assert(std::same_as<decltype(std::declval<JsonView>().text()), std::string_view>);
static_assert(std::same_as<decltype(std::declval<ConversationId>().text()), std::string>);
static_assert(std::same_as<decltype(std::declval<Position>().ToText()), std::string>);

TEST(TemporariesTest, TextOfATemporaryOutlivesIt) {
  const std::string& text = JsonString(std::string(100, 'x')).text();  // bound to the copy
  EXPECT_EQ(text.size(), 102U);
}

}  // namespace
}  // namespace turnlog::temporaries_test
