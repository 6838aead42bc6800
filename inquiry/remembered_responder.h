// Who is recorded for what is used again.
#pragma once

#include <optional>

#include "turnlog/event.h"

namespace turnlog {

// Names who decided it at first.
inline Responder ByRemembered(const std::optional<Responder>& first) {
  if (!first) return {"remembered", {}, {}, {}, {}};
  return {"remembered", first->model, first->who, first->via, {}};
}

}  // namespace turnlog
