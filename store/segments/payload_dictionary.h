// What compressed payloads may refer to instead of saying it again: short texts and encodings that events have in
// common. Made by bench/make_dictionary from samples of the project's own, never from a user's data: it would hold
// their secrets. Frozen once released: records name the version that they were compressed with.
#pragma once

#include <string_view>

namespace turnlog {

inline constexpr unsigned kDictionaryVersion = 1;  // on disk, 1 to 127

std::string_view PayloadDictionary();  // the bytes of payload_dictionary_1.bin

}  // namespace turnlog
