// Everything that an engine stores, as items.
#pragma once

#include <cstddef>
#include <memory>

#include "http/message.h"
#include "turnlog/log.h"

namespace turnlog {

// The engine calls a visitor, and a client takes what it can: a thread of its own lies between them.
std::unique_ptr<BodySource> StorageOf(Log& log, std::size_t overlap);

}  // namespace turnlog
