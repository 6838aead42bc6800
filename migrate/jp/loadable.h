// What jp can load: one event that it cannot makes it refuse the whole conversation.
#pragma once

#include "turnlog/event.h"

namespace turnlog {

// Whether today's jp takes the event, once it has a timestamp. Unknown kinds are kept by it as they are.
bool JpLoads(const EventView& event);

// Whether the main branch takes it, too: it knows neither secrets nor questions without an answer.
bool JpMainLoads(const EventView& event);

}  // namespace turnlog
