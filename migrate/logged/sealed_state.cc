#include "migrate/logged/sealed_state.h"

#include <cstdint>
#include <random>

#include "base/coding.h"
#include "base/try.h"
#include "migrate/logged/sha256.h"
#include "schema/event/import_event.h"

namespace turnlog {
namespace {

constexpr std::size_t kKeyBytes = 32, kNonceBytes = 16, kCheckBytes = 16, kBlockBytes = 32;

std::string RandomBytes(std::size_t count) {
  std::random_device device;
  std::string bytes;
  while (bytes.size() < count) AppendBig(bytes, static_cast<std::uint32_t>(device()));
  return bytes;
}

// The same again turns it back: the state is combined with a stream of hashes of the key.
std::string Combine(std::string state, const std::string& key, std::string_view nonce) {
  std::string block;
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (i % kBlockBytes == 0) {
      std::string seed = key + "stream";
      seed.append(nonce);
      AppendBig(seed, static_cast<std::uint64_t>(i));
      block = Sha256(seed);
    }
    state[i] = static_cast<char>(state[i] ^ block[i % kBlockBytes]);
  }
  return state;
}

std::string CheckOf(const std::string& key, std::string_view nonce, std::string_view state) {
  return Sha256((key + "check").append(nonce).append(state)).substr(0, kCheckBytes);
}

ConversationId KeyId() { return ConversationId::Parse(kImportKey).value(); }

// Empty: there is none.
Result<std::string> FindKey(Log& log) {
  const auto known = TURNLOG_TRY(log.FindWatermark(kImportConsumer, KeyId()));
  return known && known->state.size() == kKeyBytes ? known->state : std::string();
}

}  // namespace

Result<std::string> Seal(Log& log, std::string_view state) {
  std::string key = TURNLOG_TRY(FindKey(log));
  if (key.empty()) {
    key = RandomBytes(kKeyBytes);
    TURNLOG_TRY(log.SetWatermark(kImportConsumer, KeyId(), {Seq{0}, key}));
  }
  const std::string nonce = RandomBytes(kNonceBytes);
  return nonce + CheckOf(key, nonce, state) + Combine(std::string(state), key, nonce);
}

Result<std::optional<std::string>> Unseal(Log& log, std::string_view sealed) {
  const std::string key = TURNLOG_TRY(FindKey(log));
  if (key.empty() || sealed.size() < kNonceBytes + kCheckBytes) return std::nullopt;
  const std::string_view nonce = sealed.substr(0, kNonceBytes), check = sealed.substr(kNonceBytes, kCheckBytes);
  std::string state = Combine(std::string(sealed.substr(kNonceBytes + kCheckBytes)), key, nonce);
  return CheckOf(key, nonce, state) == check ? std::optional(std::move(state)) : std::nullopt;
}

}  // namespace turnlog
