#include "migrate/sources/zstd_source.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "migrate/sources/descriptor.h"

namespace turnlog {
namespace {

// A few kilobytes may stand for any number of bytes. Sessions become 5 to 50 times smaller when they are compressed.
constexpr std::uint64_t kMostTimes = 4096, kAnyWay = std::uint64_t{64} << 20;

constexpr std::string_view kMagic = "\x28\xb5\x2f\xfd";

Result<bool> IsFrame(ByteSource& bytes, std::uint64_t offset) {
  std::array<char, kMagic.size()> begin{};
  const std::size_t read = TURNLOG_TRY(bytes.ReadAt(offset, begin));
  return std::string_view(begin.data(), read) == kMagic;
}

struct FreeStream {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

class ZstdSource final : public ByteSource {
 public:
  ZstdSource(std::unique_ptr<ByteSource> compressed, std::unique_ptr<Descriptor> copy)
      : compressed_(std::move(compressed)),
        copy_(std::move(copy)),
        stream_(ZSTD_createDStream()),
        input_(ZSTD_DStreamInSize(), '\0'),
        output_(ZSTD_DStreamOutSize(), '\0') {}

  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out) override {
    while (!at_end_ && size_ < offset + out.size()) TURNLOG_TRY(CopyMore(offset + out.size()));
    return copy_->ReadAt(offset, out);
  }
  bool is_raw() const override { return false; }
  std::string damage() const override { return damage_; }

 private:
  // Goes on until the copy has `wanted` bytes or a piece of the compressed ones is used up, which may stand for very
  // many. Not more than a block at once: what precedes damage is then decompressed before it is met.
  Status CopyMore(std::uint64_t wanted) {
    const std::size_t most = plain_ ? input_.size() : std::min(hint_, input_.size());
    const std::size_t read = TURNLOG_TRY(compressed_->ReadAt(offset_, std::span(input_).first(most)));
    at_end_ = read == 0 && !in_frame_;
    if (plain_) return Keep(std::string_view(input_).substr(0, read), read);
    if (at_end_) return {};
    ZSTD_inBuffer in{input_.data(), read, 0};
    const std::uint64_t had = size_;
    for (bool more = true; more && size_ < wanted;) {
      ZSTD_outBuffer out{output_.data(), output_.size(), 0};
      const std::size_t left = ZSTD_decompressStream(stream_.get(), &out, &in);
      if (ZSTD_isError(left) != 0) return End(ZSTD_getErrorName(left)), Status();
      TURNLOG_TRY(Keep(std::string_view(output_).substr(0, out.pos), 0));
      if (size_ > kAnyWay && size_ / kMostTimes > offset_ + in.pos) {
        return Broken(fmt::format("it stands for more than {} times as many bytes, which no session does", kMostTimes));
      }
      in_frame_ = left != 0;
      hint_ = in_frame_ ? left : kMagic.size() + 1;
      more = in_frame_ && (in.pos < in.size || out.pos == out.size);
    }
    if (read == 0 && in_frame_ && size_ == had) return End("the last frame is incomplete"), Status();
    offset_ += in.pos;
    if (!in_frame_) plain_ = !TURNLOG_TRY(IsFrame(*compressed_, offset_));
    return {};
  }

  Status Keep(std::string_view bytes, std::size_t consumed) {
    offset_ += consumed;
    size_ += bytes.size();
    return copy_->Append(bytes);
  }

  // What was decompressed so far is all that there is.
  void End(std::string_view reason) {
    damage_ = fmt::format("cannot be decompressed from byte {} on: {}", offset_, reason);
    at_end_ = true;
  }

  std::unexpected<Error> Broken(std::string_view reason) const {
    return std::unexpected(
        Error{ErrorCode::kCorruption, fmt::format("cannot decompress {}: {}", copy_->path().string(), reason)});
  }

  std::unique_ptr<ByteSource> compressed_;
  std::unique_ptr<Descriptor> copy_;  // of the decompressed bytes
  std::unique_ptr<ZSTD_DStream, FreeStream> stream_;
  std::string input_, output_, damage_;
  std::size_t hint_ = kMagic.size() + 1;  // how many compressed bytes are wanted next
  std::uint64_t offset_ = 0;              // in the compressed bytes
  std::uint64_t size_ = 0;                // of the copy
  bool in_frame_ = false, plain_ = false, at_end_ = false;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> Decompressed(std::unique_ptr<ByteSource> bytes, const std::filesystem::path& path) {
  if (!TURNLOG_TRY(IsFrame(*bytes, 0))) return bytes;
  auto copy = TURNLOG_TRY(OpenUnnamed(path));
  return std::make_unique<ZstdSource>(std::move(bytes), std::move(copy));
}

}  // namespace turnlog
