#include "sanitize/secrets/compressed_runs.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>
#include <vector>

#include "base/secret_string.h"
#include "sanitize/secrets/decoded_base64.h"

namespace turnlog {
namespace {

// zlib's own memory is wiped, too: it holds the last 32 KiB of the text.
voidpf Allocate(voidpf, uInt count, uInt size) {
  const std::size_t bytes = std::size_t{count} * size;
  auto* const memory = static_cast<std::size_t*>(::operator new(bytes + sizeof(std::max_align_t), std::nothrow));
  if (memory == nullptr) return nullptr;
  *memory = bytes;
  return reinterpret_cast<char*>(memory) + sizeof(std::max_align_t);
}

void WipeAndFree(voidpf, voidpf address) {
  auto* const memory = static_cast<char*>(address) - sizeof(std::max_align_t);
  ::explicit_bzero(address, *reinterpret_cast<std::size_t*>(memory));
  ::operator delete(memory);
}

// As much of it as can be decompressed.
SecretString Inflate(std::string_view compressed) {
  constexpr int kEitherHeader = 15 + 32;
  z_stream stream{};
  stream.zalloc = Allocate;
  stream.zfree = WipeAndFree;
  SecretString out;
  if (::inflateInit2(&stream, kEitherHeader) != Z_OK) return out;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));  // zlib does not write to it
  stream.avail_in = static_cast<uInt>(std::min<std::size_t>(compressed.size(), ~uInt{0}));
  const std::size_t most = std::min(kMaxInflated, kMaxInflatedGrowth * compressed.size());
  SecretString piece;
  const std::span<char> room = piece.Resize(std::size_t{64} << 10);
  for (int result = Z_OK; result == Z_OK && out.size() < most;) {
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    result = ::inflate(&stream, Z_NO_FLUSH);
    out.Append(std::string_view(room.data(), room.size() - stream.avail_out));
  }
  (void)::inflateEnd(&stream);
  return out;
}

}  // namespace

// The base64 of 1f 8b 08, and of 78 followed by 01, 5e, 9c or da, which is what compressors write.
bool MayBeCompressed(std::string_view run) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kZlib{
      {{"eA", "EFGH"}, {"eF", "4567"}, {"eJ", "wxyz"}, {"eN", "opqr"}}};
  if (!run.starts_with('H') && !run.starts_with('e')) return false;
  if (run.starts_with("H4sI")) return true;
  return run.size() > 2 && std::ranges::any_of(kZlib, [&](const auto& header) {
           return run.starts_with(header.first) && header.second.contains(run[2]);
         });
}

bool MayBeCompressedAfterEscape(std::string_view text, TextSpan run) {
  return run.begin > 0 && text[run.begin - 1] == '\\' && MayBeCompressed(text.substr(run.begin + 1, run.size() - 1));
}

void ForEachCompressed(std::string_view text, std::span<const TextSpan> base64_runs,
                       const std::function<void(const DecodedText&)>& on_inflated) {
  for (const TextSpan& run : base64_runs) {
    if (!MayBeCompressed(text.substr(run.begin, run.size()))) continue;
    std::vector<TextSpan> only{run};
    const DecodedRuns runs = DecodeBase64Runs(text, only, 0);
    const SecretString inflated = Inflate(runs.decoded.text());
    if (inflated.empty()) continue;
    DecodedText layer(inflated.size());
    layer.Append(inflated.view());
    layer.EndSpan(0, run);
    on_inflated(layer);
  }
}

}  // namespace turnlog
