// What jp writes for an event when it loads and saves its conversation again.
#pragma once

#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

// Whether `event` may be what jp has made of `stored` by saving it: without fields that it does not know, with ids and
// times that were missing, and with a result in base64 twice that an older version had written with the other alphabet.
bool IsSavedAgainByJp(const EventView& stored, const EventView& event);

// Whether each field of the JSON value `less`, at any depth, is in `more` and the same there.
bool IsPartOf(std::string_view less, std::string_view more);

}  // namespace turnlog
