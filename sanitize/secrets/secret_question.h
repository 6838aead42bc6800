// Questions that ask for a secret in words, and not by their kind of answer: of histories that have no such kind.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

// Whether the question, which takes a text, asks for a password, a key or a token.
bool AsksForSecret(const QuestionView& question);

// Whether the answer to such a question is a text of the user's own, and more than a word that agrees or declines. All
// are JSON.
bool MayBeSecret(std::span<const std::string> options, std::string_view answer);

}  // namespace turnlog
