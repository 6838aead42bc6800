// Values that a provider seals for itself: signatures and encrypted reasoning. Only the provider can open them; their
// form shows whose they are, and whether something is missing.
#pragma once

#include <cstdint>
#include <string_view>

namespace turnlog {

enum class SealedForm : std::uint8_t {
  kMessage,  // base64 of one whole protobuf message: Anthropic's signatures, Gemini's
  kToken,    // a whole Fernet token: OpenAI's encrypted content
  kBroken,   // one of the two, cut or changed; or no base64
};

SealedForm FormOf(std::string_view value);

}  // namespace turnlog
