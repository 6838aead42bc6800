// A request as its handler sees it: parameters of the path, fields of the query, all of them checked.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "http/url.h"
#include "turnlog/result.h"
#include "turnlog/types.h"

namespace turnlog {

// Fields are taken by name. What is left at the end was misspelt.
class Query {
 public:
  static Result<Query> Parse(std::string_view text);

  std::optional<std::string> Take(std::string_view name);
  Result<std::optional<std::uint64_t>> Number(std::string_view name);
  Result<std::optional<Seq>> SeqField(std::string_view name);
  // One of `words`; the first one if the field is missing. Gives its index.
  Result<std::size_t> Word(std::string_view name, std::initializer_list<std::string_view> words);
  Result<bool> Flag(std::string_view name);
  Result<std::optional<ConversationId>> Conversation(std::string_view name);
  Result<Position> FromPosition(std::string_view name);
  // kInvalidArgument: a field has not been taken.
  Status Finish() const;

 private:
  QueryFields fields_;
};

struct Call {
  const HttpRequest& request;
  std::vector<std::string> parameters;  // of the route's pattern, in order
  Query query;

  // The first parameter.
  Result<ConversationId> Conversation() const { return ConversationId::Parse(parameters.front()); }
};

Timestamp TimeNow();

HttpResponse JsonResponse(std::string body);
HttpResponse ProblemResponse(const Error& error);
HttpResponse ProblemResponse(int status, std::string_view detail);
HttpResponse StreamResponse(std::string_view type, std::unique_ptr<BodySource> stream);

}  // namespace turnlog
