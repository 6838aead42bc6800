#include "service/append_stream.h"

#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "remote/append_message.h"
#include "remote/problem.h"
#include "service/append_group.h"

namespace turnlog {
namespace {

class AppendStream : public MessageHandler {
 public:
  AppendStream(ServiceState& state, const HttpRequest& request, std::string lane)
      : state_(state), lane_(std::move(lane)) {
    sender_.local = request.local;
  }

  Answer Handle(std::string_view bytes) override {
    sender_.body_bytes = bytes.size();
    const auto begin = std::chrono::steady_clock::now();
    return [this, begin, end = Begin(bytes)] {
      const auto outcomes = end();
      const int status = outcomes ? 200 : StatusOf(outcomes.error().code);
      state_.report("appendMany", sender_, status, {}, std::chrono::steady_clock::now() - begin);
      return EncodeAnswer(outcomes);
    };
  }

 private:
  using Outcomes = std::function<WriteOnce::Answer()>;

  static Outcomes Fail(const Error& error) {
    return [error] { return WriteOnce::Answer(std::unexpected(error)); };
  }

  // What waits is left to what it returns.
  Outcomes Begin(std::string_view bytes) {
    const auto message = ReadAppendMessage(bytes);
    if (!message) return Fail(message.error());
    const auto group = std::make_shared<AppendGroup>(state_, sender_);
    if (const Status added = group->Add(message->appends); !added) return Fail(added.error());
    const std::string key = fmt::format("{}/{}", lane_, message->number);
    const bool again = message->orphan && !state_.writes.Knows(key);
    auto write = again ? std::nullopt : state_.writes.TryBegin(key);
    if (!write) {
      return [this, key, group, again] {
        return state_.writes.Run(key, [&]() -> WriteOnce::Answer { return group->Write(Durability::kSync, again); });
      };
    }
    group->Begin(Durability::kSync);
    return [group, write = std::make_shared<WriteOnce::Write>(*std::move(write))] {
      return write->End(group->End(Durability::kSync));
    };
  }

  ServiceState& state_;
  const std::string lane_;
  HttpRequest sender_;
};

}  // namespace

Result<std::shared_ptr<MessageHandler>> OpenAppendStream(ServiceState& state, const HttpRequest& request,
                                                         const std::string& lane) {
  TURNLOG_TRY(WriteOnce::Check(fmt::format("{}/1", lane)));
  return std::make_shared<AppendStream>(state, request, lane);
}

}  // namespace turnlog
