#include "turnlog/service/wait_for_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/secret_string.h"
#include "base/try.h"
#include "http/url.h"
#include "remote/object_reader.h"
#include "remote/remote_cursor.h"
#include "remote/remote_log.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLongestCall{30'000};

Result<WaitedAnswer> ReadAnswer(const std::string& text) {
  const ObjectReader object = TURNLOG_TRY(ObjectReader::Parse(text));
  const std::string state = object.Text("state");
  WaitedAnswer answer;
  if (state == "closed") answer.state = WaitedAnswer::State::kClosed;
  if (state == "over") answer.state = WaitedAnswer::State::kOver;
  if (const Json response = object.FindJson("response"); !response.empty()) {
    answer.response = TURNLOG_TRY(ParseEvent(response.text()));
  }
  answer.secret = object.FindText("secret");
  return answer;
}

Result<WaitedAnswer> CallService(ServiceClient& client, const std::string& target, milliseconds wait) {
  auto text = client.Get(fmt::format("{}&wait={}", target, wait.count()), wait);
  if (!text) return std::unexpected(std::move(text).error());
  auto answer = ReadAnswer(*text);
  Wipe(*text);
  return answer;
}

Result<WaitedAnswer> Look(Log& log, const ConversationId& conversation, std::string_view inquiry) {
  const auto attempts = TURNLOG_TRY(log.FindInquiry(conversation, {.text = inquiry, .key = {}}));
  if (attempts.empty()) return std::unexpected(Error{ErrorCode::kNotFound, fmt::format("no inquiry {}", inquiry)});
  const InquiryRecord& last = attempts.back();
  WaitedAnswer answer;
  if (last.pending) return answer;
  answer.state = last.response ? WaitedAnswer::State::kClosed : WaitedAnswer::State::kOver;
  if (!last.response) return answer;
  const auto cursor = TURNLOG_TRY(log.ReadRaw(conversation, {.from = *last.response, .limit = 1}));
  const Item item = TURNLOG_TRY(cursor->Next());
  if (const auto* record = std::get_if<Record>(&item)) answer.response = Own(TURNLOG_TRY(record->Decode()));
  return answer;
}

// For engines of one process: looks again after each event of the conversation.
Result<WaitedAnswer> Follow(Log& log, const ConversationId& conversation, std::string_view inquiry,
                            steady_clock::time_point end) {
  const Position from = TURNLOG_TRY(log.End());
  const auto tail = TURNLOG_TRY(log.Follow(from, conversation));
  for (;;) {
    WaitedAnswer answer = TURNLOG_TRY(Look(log, conversation, inquiry));
    const auto left = std::chrono::ceil<milliseconds>(end - steady_clock::now());
    if (answer.state != WaitedAnswer::State::kWaiting || left.count() <= 0) return answer;
    (void)TURNLOG_TRY(tail->Wait(left));
    for (bool more = true; more;) {
      const Item item = TURNLOG_TRY(tail->Next());
      more = !std::holds_alternative<EndOfLog>(item);
    }
    TURNLOG_TRY(log.Refresh());
  }
}

}  // namespace

Result<WaitedAnswer> WaitForAnswer(Log& log, const ConversationId& conversation, std::string_view inquiry,
                                   const WaitOptions& options) {
  const auto end = steady_clock::now() + options.timeout;
  auto* const remote = dynamic_cast<RemoteLog*>(&log);
  if (remote == nullptr && !options.takes_secret) return Follow(log, conversation, inquiry, end);
  if (remote == nullptr) {
    return std::unexpected(Error{ErrorCode::kUnsupported, "secrets are handed over by a service only"});
  }
  const std::string target = ConversationPath(
      conversation, fmt::format("/wait?inquiry={}&secret={}", PercentEncode(inquiry), options.takes_secret));
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(end - steady_clock::now());
    const auto wait = std::clamp(left, milliseconds(0), kLongestCall);
    WaitedAnswer answer = TURNLOG_TRY(CallService(remote->client(), target, wait));
    if (answer.state != WaitedAnswer::State::kWaiting || left <= kLongestCall) return answer;
  }
}

}  // namespace turnlog
