// Appends of several threads in one request, and their outcomes. All numbers are 8 bytes, little-endian, and everything
// is filled up to a multiple of 8.
// An append: the length of the conversation's id, 1 if there is an expected last seq, that seq or 0, the length of the
// events; then the id and the events (event_batch.h).
// An outcome: 200 or the status of a problem, the length of what follows; then the seq and the flags (1: repeated,
// 2: redacted) of each event, or the problem (problem.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret_string.h"
#include "turnlog/log.h"

namespace turnlog {

inline constexpr std::string_view kAppendsType = "application/vnd.turnlog.appends.v1";
inline constexpr std::string_view kOutcomesType = "application/vnd.turnlog.outcomes.v1";

struct BatchedAppend {
  std::string_view conversation;
  std::optional<Seq> expected_last;
  std::string_view events;  // for DecodeBatch
};

// Errors are those of Validate. The appends of a request are the concatenation of these.
Result<SecretString> EncodeAppend(const ConversationId& conversation, std::span<const EventView> events,
                                  std::optional<Seq> expected_last);
// They borrow from `bytes`. kInvalidArgument: it is malformed.
Result<std::vector<BatchedAppend>> SplitAppends(std::string_view bytes);

void AddOutcome(const AppendResult& result, std::string& bytes);
void AddProblem(int status, std::string_view problem, std::string& bytes);
// kIo: this is not understood.
Result<std::vector<Result<AppendResult>>> ReadOutcomes(std::string_view bytes);

}  // namespace turnlog
