// Who decided, for readers.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "turnlog/event.h"

namespace turnlog {

// "assistant (model-x)", "user ann via page"; empty if not recorded. Not made safe for terminals.
inline std::string ResponderName(const std::optional<ResponderView>& responder) {
  if (!responder) return {};
  std::string text(responder->kind);
  if (responder->model) text += fmt::format(" ({})", *responder->model);
  if (responder->who) text += fmt::format(" {}", *responder->who);
  if (responder->via) text += fmt::format(" via {}", *responder->via);
  return text;
}

}  // namespace turnlog
