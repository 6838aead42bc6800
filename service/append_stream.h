// A stream of appends from one client: synced, each message done once, and together with those of other clients.
#pragma once

#include <memory>
#include <string>

#include "http/message_handler.h"
#include "service/service_state.h"

namespace turnlog {

// `lane`: of the client's writes (write_once.h). `state` outlives it. kInvalidArgument: no lane has this name.
Result<std::shared_ptr<MessageHandler>> OpenAppendStream(ServiceState& state, const HttpRequest& request,
                                                         const std::string& lane);

}  // namespace turnlog
