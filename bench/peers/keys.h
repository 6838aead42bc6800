// The keys of peers that are ordered maps of bytes: an event is a key and a value, an inquiry one key more.
#pragma once

#include <cstdint>
#include <string>

#include "base/coding.h"
#include "base/hash.h"

namespace turnlog {

// Of all events.
inline constexpr const char* kEventPrefix = "e";

inline std::string PrefixOf(char space, std::uint32_t conversation) {
  std::string key(1, space);
  AppendBig(key, conversation);
  return key;
}

inline std::string EventPrefixOf(std::uint32_t conversation) { return PrefixOf(*kEventPrefix, conversation); }

inline std::string EventKeyOf(std::uint32_t conversation, std::uint64_t seq) {
  std::string key = EventPrefixOf(conversation);
  AppendBig(key, seq);
  return key;
}

inline std::string InquiryKeyOf(std::uint32_t conversation, const Hash128& id) {
  std::string key = PrefixOf('i', conversation);
  AppendHash(key, id);
  return key;
}

inline std::string InquiryValueOf(std::uint64_t seq) {
  std::string value;
  AppendVarint(value, seq);
  return value;
}

}  // namespace turnlog
