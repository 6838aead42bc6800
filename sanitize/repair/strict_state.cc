#include "sanitize/repair/strict_state.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <utility>

#include "base/coding.h"

namespace turnlog {
namespace {

// Increase it whenever the rules of strict or this encoding change.
constexpr char kVersion = 2;

std::uint64_t RandomNumber() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

void AppendUnanswered(std::string& out, const std::unordered_map<Hash128, UnansweredCall>& unanswered) {
  std::vector<std::pair<Hash128, UnansweredCall>> calls(unanswered.begin(), unanswered.end());
  std::ranges::sort(calls, {}, [](const auto& call) { return call.first; });  // equal states have equal bytes
  AppendVarint(out, calls.size());
  for (const auto& [hash, call] : calls) {
    AppendHash(out, hash);
    AppendVarint(out, call.call.value);
    AppendVarint(out, call.anchor.value);
  }
}

void TakeUnanswered(Decoder& decoder, std::unordered_map<Hash128, UnansweredCall>& unanswered) {
  for (std::uint64_t left = decoder.Varint(); left > 0 && decoder.ok; --left) {
    UnansweredCall& call = unanswered[decoder.Hash()];
    call.call.value = decoder.Varint();
    call.anchor.value = decoder.Varint();
  }
}

}  // namespace

// Salts are stored beside the hashes: they have to be unknown before that, and different, but not random one by one,
// which takes 10 us and more in virtual machines.
StrictState FreshStrictState() {
  static const std::uint64_t seed = RandomNumber();
  static std::atomic<std::uint64_t> count = 0;
  std::string number;
  AppendBig(number, ++count);
  return {.salt = Hash64(number, seed)};
}

std::string Encode(const StrictState& state) {
  std::string out(1, kVersion);
  AppendBig(out, state.salt);
  AppendVarint(out, state.resume.value);
  AppendVarint(out, state.turn_index);
  AppendVarint(out, state.first_chat.value_or(Seq{0}).value);
  AppendVarint(out, state.dropped_turns.size());
  std::uint64_t before = 0;
  for (const std::uint64_t turn : state.dropped_turns) AppendVarint(out, turn - std::exchange(before, turn));
  AppendUnanswered(out, state.unanswered);
  AppendBig(out, Hash64(out));
  return out;
}

std::optional<StrictState> DecodeStrictState(std::string_view bytes) {
  constexpr std::size_t kSaltBytes = sizeof(std::uint64_t), kChecksumBytes = sizeof(std::uint64_t);
  if (bytes.size() <= kSaltBytes + kChecksumBytes || bytes.front() != kVersion) return std::nullopt;
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (LoadBig<std::uint64_t>(bytes.data() + body.size()) != Hash64(body)) return std::nullopt;
  Decoder decoder{body.substr(1 + kSaltBytes)};
  StrictState state{.salt = LoadBig<std::uint64_t>(body.data() + 1)};
  state.resume.value = decoder.Varint();
  state.turn_index = decoder.Varint();
  if (const Seq chat{decoder.Varint()}; chat.value > 0) state.first_chat = chat;
  std::uint64_t turn = 0;
  for (std::uint64_t left = decoder.Varint(); left > 0 && decoder.ok; --left) {
    state.dropped_turns.push_back(turn += decoder.Varint());
  }
  TakeUnanswered(decoder, state.unanswered);
  if (!decoder.ok || !decoder.bytes.empty() || state.resume.value == 0) return std::nullopt;
  return state;
}

}  // namespace turnlog
