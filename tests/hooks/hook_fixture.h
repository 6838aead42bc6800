// Hooks that run in this process, as a tool would run them in processes of their own.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/service/service_fixture.h"
#include "turnlog/hooks/agent_hook.h"

namespace turnlog {

class HookTest : public ServiceTest {
 protected:
  AgentHookOptions Options() {
    return {.tool = tool_, .timeout = timeout_, .on_timeout = on_timeout_, .open = [this] {
              return OpenRemoteLog("unix:" + Address().path.string(), {.token = {}});
            }};
  }
  static std::string EventOf(std::string_view name, std::string_view fields = {}) {
    return fmt::format(R"({{"session_id":"s","cwd":"/home/ann/p","hook_event_name":"{}"{}{}}})", name,
                       fields.empty() ? "" : ",", fields);
  }
  Result<std::string> Send(std::string_view name, std::string_view fields = {}) {
    return AgentHook(Options()).Handle(EventOf(name, fields));
  }
  // A hook that waits.
  class Waiting {
   public:
    Waiting(const AgentHookOptions& options, std::string event)
        : hook_(options), thread_([this, event = std::move(event)] { reply_ = hook_.Handle(event); }) {}
    ~Waiting() {
      if (!thread_.joinable()) return;
      hook_.Abandon();
      thread_.join();
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    std::string Reply() {
      thread_.join();
      return Must(std::move(reply_));
    }
    AgentHook& hook() { return hook_; }

   private:
    AgentHook hook_;
    Result<std::string> reply_;
    std::thread thread_;
  };
  Waiting Start(std::string_view name, std::string_view fields) { return Waiting(Options(), EventOf(name, fields)); }

  // The ids of what waits, as soon as there are so many.
  std::vector<std::string> AwaitPending(std::size_t count) {
    std::vector<std::string> ids;
    while (ids.size() != count) {
      std::this_thread::yield();
      ids.clear();
      for (const PendingInquiry& pending : Must(log_->Pending({}))) {
        const auto cursor = Must(log_->ReadRaw(Id("s/live"), {.from = pending.request, .limit = 1}));
        const Item item = Must(cursor->Next());
        ids.push_back(std::get<InquiryRequest>(Own(Must(std::get<Record>(item).Decode())).body).id.text);
      }
    }
    return ids;
  }
  Reply Answer(const std::string& body) { return Post("/v1/conversations/s%2Flive/respond", body); }
  std::string State() { return Get("/v1/conversations/s%2Flive/state").body; }
  std::string Recorded() { return Get("/v1/conversations/s%2Flive/events?view=raw").body; }

  AgentTool tool_ = AgentTool::kClaudeCode;
  AgentHookOptions::OnTimeout on_timeout_ = AgentHookOptions::OnTimeout::kAsk;
  std::chrono::milliseconds timeout_ = std::chrono::minutes(1);
};

}  // namespace turnlog
