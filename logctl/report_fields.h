// JSON fields that several reports share.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "logctl/json_document.h"
#include "turnlog/damage.h"
#include "turnlog/log.h"

namespace turnlog {

// The fields of one conversation, added to the open object. `pending`: how many of its inquiries wait.
void AddFields(JsonDocument& json, const ConversationInfo& info, std::size_t pending);
void AddDamage(JsonDocument& json, std::span<const Damage> damage);

}  // namespace turnlog
