// The handlers of all routes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "service/call.h"
#include "service/service_state.h"

namespace turnlog {

using Handled = Result<HttpResponse>;

// read_handlers.cc
Handled GetStore(ServiceState& state, Call& call);
Handled ListConversations(ServiceState& state, Call& call);
Handled GetConversation(ServiceState& state, Call& call);
Handled GetRepairs(ServiceState& state, Call& call);
Handled GetWatermark(ServiceState& state, Call& call);
Handled GetEnd(ServiceState& state, Call& call);
Handled ReadEvents(ServiceState& state, Call& call);
Handled ReadStorage(ServiceState& state, Call& call);

// append_handlers.cc
std::shared_ptr<BodySink> SinkOfEvents(const HttpRequest& head, std::optional<std::uint64_t> length);
std::shared_ptr<BodySink> SinkOfAppends(const HttpRequest& head, std::optional<std::uint64_t> length);
Handled AppendEvents(ServiceState& state, Call& call);
Handled AppendMany(ServiceState& state, Call& call);
Handled StreamAppends(ServiceState& state, Call& call);

// write_handlers.cc
// Does a change once, however often a client sends it. The body of the response is JSON.
Handled Once(ServiceState& state, const Call& call, const std::function<WriteOnce::Answer()>& write);
Handled EraseEvents(ServiceState& state, Call& call);
Handled RedactEvents(ServiceState& state, Call& call);
Handled PutWatermark(ServiceState& state, Call& call);
Handled PutStore(ServiceState& state, Call& call);
Handled MakeCheckpoint(ServiceState& state, Call& call);

// follow_handlers.cc
Handled FollowTail(ServiceState& state, Call& call);
Handled StreamEvents(ServiceState& state, Call& call);

// inquiry_handlers.cc
Handled GetState(ServiceState& state, Call& call);
Handled ListPending(ServiceState& state, Call& call);
Handled FindAttempts(ServiceState& state, Call& call);
Handled GetDenials(ServiceState& state, Call& call);

// answer_handlers.cc
Handled Respond(ServiceState& state, Call& call);
Handled Cancel(ServiceState& state, Call& call);
Handled WaitForInquiry(ServiceState& state, Call& call);

// overview_handlers.cc
Handled GetOverview(ServiceState& state, Call& call);
Handled StreamOverview(ServiceState& state, Call& call);
Handled PutAttention(ServiceState& state, Call& call);
Handled MarkAllSeen(ServiceState& state, Call& call);

// job_handlers.cc
Handled BeginJob(ServiceState& state, Call& call);
Handled ListJobs(ServiceState& state, Call& call);
Handled GetJob(ServiceState& state, Call& call);
Handled CancelJob(ServiceState& state, Call& call);

// search_handlers.cc
Handled SearchEvents(ServiceState& state, Call& call);

// page_handlers.cc
Handled GetPage(ServiceState& state, Call& call);
Handled GetPageFile(ServiceState& state, Call& call);

// session_handlers.cc
Handled SignIn(ServiceState& state, Call& call);
Handled SignOut(ServiceState& state, Call& call);
Handled GetSession(ServiceState& state, Call& call);
Handled ListSessions(ServiceState& state, Call& call);
Handled EndSession(ServiceState& state, Call& call);
Handled MakePairingCode(ServiceState& state, Call& call);
// What a person opens; the part after '#' is not sent to any server.
std::string PairingLink(const ServiceState& state, const std::string& code);

// monitor_handlers.cc
Handled GetHealth(ServiceState& state, Call& call);
Handled GetMetrics(ServiceState& state, Call& call);

}  // namespace turnlog
