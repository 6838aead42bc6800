// Heuristics that distinguish a secret from a placeholder, a name or a piece of code of the same form.
#pragma once

#include <string_view>

namespace turnlog {

// Shannon entropy of the bytes, in bits per byte.
double Entropy(std::string_view text);

// Only words, capitalized or not, with signs between them, as in names: `task-management`, `getAccessToken`.
bool IsWords(std::string_view text);

// The header decodes to a JSON object with `alg`, and the claims to one with a registered claim (RFC 7519,
// section 4.1).
bool IsJwt(std::string_view text);

// Typed without thought, as authors of examples do: small letters, nearly all of the keyboard's middle row.
bool IsTyped(std::string_view text);

// Words that authors of examples mask as a password: `s3kr3t`, `S3Cr3T0k3n!`, `n0ts3cret`.
bool IsMaskedExample(std::string_view text);

// Base64 of a sentence: "not my real password".
bool IsSentence(std::string_view text);

// Base64 of a name, a colon, and a password of printable characters, none that examples have.
bool IsBasicAuth(std::string_view text);
// Base64 of a name, a colon, and a password of examples: `user:pass`.
bool IsExampleBasicAuth(std::string_view text);

// A password that is no random one and the name of the user at once, as in examples: `//guest:guest@`. `before`: the
// text before it. A value of a name, as which a part of a URL can be read, goes on after the password.
bool IsUserToo(std::string_view before, std::string_view password);

// Random: letters and digits alternate often, unlike in names, paths and words.
bool LooksRandom(std::string_view text);

// Random, and neither a UUID nor a digest in hexadecimal, which name things more often than they protect them.
bool LooksOpaque(std::string_view text);

// As services issue keys: random, or a UUID or a long number, which only the name of a service makes a key.
bool LooksIssued(std::string_view text);

// Base64 of a text or of random bytes, not a word that happens to have these letters.
bool LooksLikeBase64(std::string_view text);

// Twelve or more words as in BIP 39, unlike in a sentence.
bool IsSeedPhrase(std::string_view text);

// A password as people and programs choose them: not code, not a path or name, and not only a word.
bool LooksLikePassword(std::string_view text);

// A word and a count, as in the examples of manuals, and as people choose weak passwords: `Cisco123`, `test1234`,
// `C1sco12345`, `Esxi@123$%`.
bool IsCountedWord(std::string_view text);

}  // namespace turnlog
