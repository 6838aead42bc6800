#include "service/call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "base/try.h"
#include "remote/problem.h"

namespace turnlog {
namespace {

std::unexpected<Error> Wrong(std::string message) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(message)});
}

}  // namespace

Result<Query> Query::Parse(std::string_view text) {
  auto fields = SplitQuery(text);
  if (!fields) return Wrong("the query is malformed, or has a field twice");
  Query query;
  query.fields_ = *std::move(fields);
  return query;
}

std::optional<std::string> Query::Take(std::string_view name) {
  const auto found = std::ranges::find(fields_, name, &QueryFields::value_type::first);
  if (found == fields_.end()) return std::nullopt;
  std::string value = std::move(found->second);
  fields_.erase(found);
  return value;
}

Result<std::optional<std::uint64_t>> Query::Number(std::string_view name) {
  const auto text = Take(name);
  if (!text) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size())
    return Wrong(fmt::format("{} must be a number", name));
  return number;
}

Result<std::optional<Seq>> Query::SeqField(std::string_view name) {
  const auto number = TURNLOG_TRY(Number(name));
  return number ? std::optional(Seq{*number}) : std::nullopt;
}

Result<std::size_t> Query::Word(std::string_view name, std::initializer_list<std::string_view> words) {
  const auto text = Take(name);
  if (!text) return 0;
  const auto found = std::ranges::find(words, *text);
  if (found == words.end()) return Wrong(fmt::format("{} must be one of {}", name, fmt::join(words, ", ")));
  return static_cast<std::size_t>(found - words.begin());
}

Result<bool> Query::Flag(std::string_view name) { return TURNLOG_TRY(Word(name, {"false", "true"})) == 1; }

Result<std::optional<ConversationId>> Query::Conversation(std::string_view name) {
  const auto text = Take(name);
  if (!text) return std::nullopt;
  return TURNLOG_TRY(ConversationId::Parse(*text));
}

Result<Position> Query::FromPosition(std::string_view name) {
  const auto text = Take(name);
  if (!text) return Position{};
  return Position::Parse(*text);
}

Status Query::Finish() const {
  if (fields_.empty()) return {};
  return Wrong(fmt::format("this request has no field {}", fields_.front().first));
}

Timestamp TimeNow() {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
              .count()};
}

HttpResponse JsonResponse(std::string body) {
  return {.status = 200, .headers = {{"Content-Type", "application/json"}}, .body = std::move(body)};
}

HttpResponse ProblemResponse(const Error& error) {
  return {.status = StatusOf(error.code),
          .headers = {{"Content-Type", std::string(kProblemType)}},
          .body = ToProblem(error)};
}

HttpResponse ProblemResponse(int status, std::string_view detail) {
  return {
      .status = status, .headers = {{"Content-Type", std::string(kProblemType)}}, .body = ToProblem(status, detail)};
}

HttpResponse StreamResponse(std::string_view type, std::unique_ptr<BodySource> stream) {
  return {.status = 200, .headers = {{"Content-Type", std::string(type)}}, .body = {}, .stream = std::move(stream)};
}

}  // namespace turnlog
