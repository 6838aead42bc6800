#include "remote/append_message.h"

#include "base/coding.h"
#include "remote/problem.h"

namespace turnlog {
namespace {

constexpr std::size_t kNumber = sizeof(std::uint64_t);
constexpr std::uint64_t kOk = 200;

}  // namespace

AppendMessageHead EncodeHead(std::uint64_t number, bool orphan) {
  AppendMessageHead head{};
  StoreLittle(head.data(), number);
  StoreLittle(head.data() + kNumber, std::uint64_t{orphan ? 1U : 0U});
  return head;
}

Result<AppendMessage> ReadAppendMessage(std::string_view bytes) {
  constexpr std::size_t kHead = sizeof(AppendMessageHead);
  const auto number = [&](std::size_t at) { return LoadLittle<std::uint64_t>(bytes.data() + at); };
  if (bytes.size() < kHead || number(0) == 0 || number(kNumber) > 1) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "this is no message of a stream of appends"});
  }
  return AppendMessage{number(0), number(kNumber) == 1, bytes.substr(kHead)};
}

std::string EncodeAnswer(const Result<std::string>& outcomes) {
  const std::uint64_t status = outcomes ? kOk : static_cast<std::uint64_t>(StatusOf(outcomes.error().code));
  std::string answer(kNumber, '\0');
  StoreLittle(answer.data(), status);
  return answer += outcomes ? *outcomes : ToProblem(outcomes.error());
}

Result<std::string> ReadAnswer(std::string_view bytes) {
  if (bytes.size() < kNumber) {
    return std::unexpected(Error{ErrorCode::kIo, "the service's answer to appends is not understood"});
  }
  const auto status = LoadLittle<std::uint64_t>(bytes.data());
  const std::string_view rest = bytes.substr(kNumber);
  if (status == kOk) return std::string(rest);
  return std::unexpected(FromProblem(static_cast<int>(status), rest));
}

}  // namespace turnlog
