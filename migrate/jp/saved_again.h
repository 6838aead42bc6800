// What jp writes for an event when it loads and saves its conversation again.
#pragma once

#include <string>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

// Whether `event` may be what jp has made of `stored` by saving it: without fields that it does not know, with ids and
// times that were missing, and with a result in base64 twice that an older version had written with the other alphabet.
bool IsSavedAgainByJp(const EventView& stored, const EventView& event);

// What no save changes of an event, given in turnlog's JSON: it is recognised by that where its place is another one.
std::string WhatJpKeeps(std::string_view event);

// Whether each field of the JSON value `less`, at any depth, is in `more` and the same there.
bool IsPartOf(std::string_view less, std::string_view more);

}  // namespace turnlog
