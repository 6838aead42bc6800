#include "remote/append_batch.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>

#include "base/coding.h"
#include "base/try.h"
#include "remote/event_batch.h"
#include "remote/problem.h"

namespace turnlog {
namespace {

constexpr std::size_t kNumber = sizeof(std::uint64_t);
constexpr std::size_t kAppendHead = 4 * kNumber;
constexpr std::size_t kOutcomeOfEvent = 2 * kNumber;
constexpr std::uint64_t kRepeatedFlag = 1, kRedactedFlag = 2;
constexpr std::uint64_t kOk = 200;
constexpr std::size_t kMostAppends = 32'768;  // each takes more memory than its bytes; a client's have 1 MiB together

std::size_t Filled(std::size_t length) { return (length + kNumber - 1) / kNumber * kNumber; }

void Add(std::string& bytes, std::uint64_t number) {
  std::array<char, kNumber> text{};
  StoreLittle(text.data(), number);
  bytes.append(text.data(), text.size());
}

// Takes values off the front. After the end `ok` is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool empty() const { return bytes_.empty(); }
  std::uint64_t Number() {
    const std::string_view text = Take(kNumber);
    return ok_ ? LoadLittle<std::uint64_t>(text.data()) : 0;
  }
  // Of any length, with what fills it up.
  std::string_view Text(std::uint64_t length) {
    const std::string_view text = Take(length > bytes_.size() ? length : Filled(length));
    return text.substr(0, ok_ ? length : 0);
  }

 private:
  std::string_view Take(std::uint64_t length) {
    if (length > bytes_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view taken = bytes_.substr(0, length);
    bytes_.remove_prefix(length);
    return taken;
  }

  std::string_view bytes_;
  bool ok_ = true;
};

Result<AppendResult> ReadOutcome(std::uint64_t status, std::string_view body) {
  if (status != kOk) return std::unexpected(FromProblem(static_cast<int>(status), body));
  AppendResult result;
  for (Reader reader(body); !reader.empty() && reader.ok();) {
    const Seq seq{reader.Number()};
    const std::uint64_t flags = reader.Number();
    if (!reader.ok()) return std::unexpected(Error{ErrorCode::kIo, "the service's answer to an append is cut off"});
    result.events.push_back({seq, (flags & kRepeatedFlag) != 0, (flags & kRedactedFlag) != 0});
  }
  return result;
}

}  // namespace

Result<SecretString> EncodeAppend(const ConversationId& conversation, std::span<const EventView> events,
                                  std::optional<Seq> expected_last) {
  std::vector<NumberedEvent> batch;
  batch.reserve(events.size());
  for (const EventView& event : events) batch.push_back({{}, event});
  const std::string_view id = conversation.text();
  const std::size_t begin = kAppendHead + Filled(id.size());
  SecretString bytes;
  id.copy(bytes.Resize(begin).data() + kAppendHead, id.size());
  TURNLOG_TRY(EncodeBatch(batch, bytes));
  char* const head = bytes.Resize(bytes.size()).data();
  StoreLittle(head, std::uint64_t{id.size()});
  StoreLittle(head + kNumber, std::uint64_t{expected_last ? 1U : 0U});
  StoreLittle(head + 2 * kNumber, expected_last ? expected_last->value : 0);
  StoreLittle(head + 3 * kNumber, std::uint64_t{bytes.size() - begin});
  return bytes;
}

Result<std::vector<BatchedAppend>> SplitAppends(std::string_view bytes) {
  std::vector<BatchedAppend> appends;
  for (Reader reader(bytes); !reader.empty();) {
    const std::uint64_t id_length = reader.Number(), guarded = reader.Number();
    const Seq expected{reader.Number()};
    const std::uint64_t events_length = reader.Number();
    const std::string_view id = reader.Text(id_length), events = reader.Text(events_length);
    if (appends.size() == kMostAppends) {
      return std::unexpected(Error{ErrorCode::kInvalidArgument, fmt::format("more than {} appends", kMostAppends)});
    }
    if (!reader.ok() || guarded > 1) {
      return std::unexpected(Error{ErrorCode::kInvalidArgument, "the body is no sequence of appends"});
    }
    appends.push_back({id, guarded == 1 ? std::optional(expected) : std::nullopt, events});
  }
  return appends;
}

void AddOutcome(const AppendResult& result, std::string& bytes) {
  Add(bytes, kOk);
  Add(bytes, result.events.size() * kOutcomeOfEvent);
  for (const AppendedEvent& event : result.events) {
    Add(bytes, event.seq.value);
    Add(bytes, (event.repeated ? kRepeatedFlag : 0) | (event.redacted ? kRedactedFlag : 0));
  }
}

void AddProblem(int status, std::string_view problem, std::string& bytes) {
  Add(bytes, static_cast<std::uint64_t>(status));
  Add(bytes, problem.size());
  bytes.append(problem);
  bytes.resize(Filled(bytes.size()), '\0');
}

Result<std::vector<Result<AppendResult>>> ReadOutcomes(std::string_view bytes) {
  std::vector<Result<AppendResult>> outcomes;
  for (Reader reader(bytes); !reader.empty();) {
    const std::uint64_t status = reader.Number();
    const std::string_view body = reader.Text(reader.Number());
    if (!reader.ok()) return std::unexpected(Error{ErrorCode::kIo, "the outcomes of the appends are not understood"});
    outcomes.push_back(ReadOutcome(status, body));
  }
  return outcomes;
}

}  // namespace turnlog
