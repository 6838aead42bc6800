#include "store/segments/payload_codec.h"

// NOLINTNEXTLINE(readability-identifier-naming)
#define ZSTD_STATIC_LINKING_ONLY  // for frames without magic number, and for memory that is wiped
#include <lz4.h>
#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "base/coding.h"
#include "store/segments/payload_dictionary.h"
#include "turnlog/types.h"

namespace turnlog {
namespace {

constexpr int kZstdLevel = 3;
constexpr std::uint8_t kPadded = 0x80;  // of the byte with the dictionary's version
constexpr std::size_t kLongestVarint = 5;
constexpr std::size_t kMostPadding = 255;
constexpr std::size_t kLz4Overshoot = 64;  // it copies in pieces of up to 32 bytes, and may go beyond the end

std::unexpected<Error> Damaged() {
  return std::unexpected(Error{ErrorCode::kCorruption, "the record is intact but cannot be decompressed"});
}

// --- LZ4 ---

// The dictionary as LZ4 keeps it while compressing. It is copied for each payload: 16 KiB.
const LZ4_stream_t& Lz4Dictionary() {
  static const LZ4_stream_t* const loaded = [] {
    auto* stream = new LZ4_stream_t;
    LZ4_initStream(stream, sizeof *stream);
    LZ4_loadDict(stream, PayloadDictionary().data(), static_cast<int>(PayloadDictionary().size()));
    return stream;
  }();
  return *loaded;
}

std::size_t CompressLz4(std::string_view payload, std::span<char> out) {
  thread_local LZ4_stream_t stream;  // holds positions, no contents
  stream = Lz4Dictionary();
  const int length = LZ4_compress_fast_continue(&stream, payload.data(), out.data(), static_cast<int>(payload.size()),
                                                static_cast<int>(out.size()), 1);
  return static_cast<std::size_t>(std::max(length, 0));
}

bool DecompressLz4(std::string_view data, std::span<char> out) {
  const std::string_view dictionary = PayloadDictionary();
  const int length = LZ4_decompress_safe_usingDict(data.data(), out.data(), static_cast<int>(data.size()),
                                                   static_cast<int>(out.size()), dictionary.data(),
                                                   static_cast<int>(dictionary.size()));
  return length >= 0 && static_cast<std::size_t>(length) == out.size();
}

// --- Zstandard ---

// zstd copies contents into its own memory, which must not go back to the heap with them.
constexpr std::size_t kSizeBefore = alignof(std::max_align_t);

void* AllocateWiped(void*, std::size_t size) {
  auto* const memory = static_cast<char*>(std::malloc(size + kSizeBefore));
  if (memory == nullptr) return nullptr;
  std::memcpy(memory, &size, sizeof size);
  return memory + kSizeBefore;
}

void FreeWiped(void*, void* address) {
  if (address == nullptr) return;
  char* const memory = static_cast<char*>(address) - kSizeBefore;
  std::size_t size = 0;
  std::memcpy(&size, memory, sizeof size);
  explicit_bzero(address, size);
  std::free(memory);
}

constexpr ZSTD_customMem kWiped{AllocateWiped, FreeWiped, nullptr};

using ZstdCompressor = std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)>;
using ZstdDecompressor = std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)>;

const ZSTD_CDict* ZstdCompressionDictionary() {
  static const ZSTD_CDict* const loaded =
      ZSTD_createCDict(PayloadDictionary().data(), PayloadDictionary().size(), kZstdLevel);
  return loaded;
}

const ZSTD_DDict* ZstdDictionary() {
  static const ZSTD_DDict* const loaded = ZSTD_createDDict(PayloadDictionary().data(), PayloadDictionary().size());
  return loaded;
}

// Nothing of a frame's header is needed: the payload states its length and its dictionary, the record has a checksum.
ZstdCompressor MakeZstdCompressor() {
  ZstdCompressor context(ZSTD_createCCtx_advanced(kWiped), ZSTD_freeCCtx);
  if (context == nullptr) return context;
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_format, ZSTD_f_zstd1_magicless);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_contentSizeFlag, 0);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_dictIDFlag, 0);
  ZSTD_CCtx_refCDict(context.get(), ZstdCompressionDictionary());
  return context;
}

std::size_t CompressZstd(ZSTD_CCtx* context, std::string_view payload, std::span<char> out) {
  if (context == nullptr) return 0;
  const std::size_t length = ZSTD_compress2(context, out.data(), out.size(), payload.data(), payload.size());
  return ZSTD_isError(length) != 0 ? 0 : length;
}

// One for each thread: it takes 160 KB.
ZSTD_DCtx* ThreadsDecompressor() {
  thread_local const ZstdDecompressor made = [] {
    ZstdDecompressor context(ZSTD_createDCtx_advanced(kWiped), ZSTD_freeDCtx);
    if (context == nullptr) return context;
    ZSTD_DCtx_setParameter(context.get(), ZSTD_d_format, ZSTD_f_zstd1_magicless);
    ZSTD_DCtx_refDDict(context.get(), ZstdDictionary());
    return context;
  }();
  return made.get();
}

bool DecompressZstd(std::string_view data, std::span<char> out) {
  ZSTD_DCtx* const context = ThreadsDecompressor();
  return context != nullptr &&
         ZSTD_decompressDCtx(context, out.data(), out.size(), data.data(), data.size()) == out.size();
}

// --- Payloads ---

struct Packed {
  std::uint64_t length = 0;
  unsigned dictionary = 0;
  std::string_view data;
};

std::optional<Packed> Parse(std::string_view payload) {
  Decoder bytes{payload};
  Packed packed{.length = bytes.Varint()};
  if (!bytes.ok || bytes.bytes.empty() || packed.length == 0 || packed.length > kMaxEventBytes) return std::nullopt;
  const auto how = static_cast<std::uint8_t>(bytes.bytes.front());
  packed.dictionary = how & ~unsigned{kPadded};
  packed.data = bytes.bytes.substr(1);
  if ((how & kPadded) == 0) return packed;
  const std::size_t padding = packed.data.empty() ? 0 : static_cast<std::uint8_t>(packed.data.back());
  if (padding == 0 || padding > packed.data.size()) return std::nullopt;
  packed.data.remove_suffix(padding);
  return packed;
}

std::size_t WriteHead(std::uint64_t length, std::span<char> out) {
  std::string head;
  AppendVarint(head, length);
  head.push_back(static_cast<char>(kDictionaryVersion));
  std::ranges::copy(head, out.begin());
  return head.size();
}

}  // namespace

struct PayloadPacker::Contexts {
  ZstdCompressor zstd{nullptr, ZSTD_freeCCtx};
};

PayloadPacker::PayloadPacker(Compression compression) : compression_(compression) {
  if (compression == Compression::kSmall) contexts_.reset(new Contexts{MakeZstdCompressor()});
}

PayloadPacker::~PayloadPacker() = default;

PackedPayload PayloadPacker::Pack(std::string_view payload, std::size_t least, std::span<char> out) {
  if (compression_ == Compression::kNone || payload.size() <= kLongestVarint + 1) return {};
  const std::size_t head = WriteHead(payload.size(), out);
  const std::span<char> room = out.subspan(head);
  const bool fast = compression_ == Compression::kFast;
  const std::size_t data = fast ? CompressLz4(payload, room) : CompressZstd(contexts_->zstd.get(), payload, room);
  const std::size_t length = std::max(head + data, least);
  const std::size_t touched = fast && data > 0 ? std::min(out.size(), length + kLz4Overshoot) : out.size();
  if (data == 0 || FrameBytes(length) >= FrameBytes(payload.size())) return {.touched = touched};
  if (const std::size_t padding = length - head - data; padding > 0) {
    if (padding > kMostPadding) return {.touched = touched};
    out[head - 1] = static_cast<char>(kDictionaryVersion | kPadded);
    std::ranges::fill(out.subspan(head + data, padding), '\0');
    out[length - 1] = static_cast<char>(padding);
  }
  return {.codec = fast ? kLz4Codec : kZstdCodec, .length = length, .touched = touched};
}

std::uint64_t UnpackedLength(const Frame& frame) {
  const auto packed = frame.header.codec == kNoCodec ? std::nullopt : Parse(frame.payload);
  return packed ? packed->length : frame.header.length;
}

Result<std::string_view> PayloadUnpacker::Unpack(const Frame& frame) {
  if (frame.header.codec == kNoCodec) return frame.payload;
  const auto packed = Parse(frame.payload);
  if (!packed) return Damaged();
  if (frame.header.codec > kLastCodec || packed->dictionary != kDictionaryVersion) {
    return std::unexpected(Error{ErrorCode::kUnsupportedVersion, "written by a later version of turnlog"});
  }
  const std::span<char> out = buffer_.Take(packed->length);
  const bool done =
      frame.header.codec == kLz4Codec ? DecompressLz4(packed->data, out) : DecompressZstd(packed->data, out);
  if (!done) return Damaged();
  return std::string_view(out.data(), out.size());
}

}  // namespace turnlog
