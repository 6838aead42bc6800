// Tells words from random letters by which letter follows which.
#pragma once

#include <string_view>

namespace turnlog {

// Whether a text is of six to sixteen small letters, and they follow each other as in words and in names made of them:
// `sunshine`, `rabbitmq`, `dbpwd`; or repeat or run along the keyboard as in examples: `xxxxxx`, `qwertz`. Of random
// letters, one in fifteen texts of eight and one in thirty of ten is like a word; of English words, fewer than one in a
// thousand is not.
bool IsLikeWord(std::string_view text);

}  // namespace turnlog
