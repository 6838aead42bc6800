#include "doctor/text_edits.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;

Status Copy(std::uint64_t begin, std::uint64_t end, std::string& buffer, const ReadBytes& read,
            const WriteBytes& write) {
  for (std::uint64_t at = begin; at < end;) {
    buffer.resize(std::min(kPiece, end - at));
    const std::size_t got = TURNLOG_TRY(read(at, buffer));
    if (got == 0) return std::unexpected(Error{ErrorCode::kConflict, "the file became shorter while it was read"});
    TURNLOG_TRY(write(std::string_view(buffer).substr(0, got)));
    at += got;
  }
  return {};
}

}  // namespace

EditPass TextEdits::Take() && {
  std::ranges::move(last_, std::back_inserter(edits_));
  std::vector<std::size_t> order(edits_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) {
    const TextEdit& edit = edits_[i];
    // What is inserted at a position comes before what is replaced there; of these the longest is first.
    const std::uint64_t length = edit.end - edit.begin;
    return std::tuple(edit.begin, length == 0 ? 0 : UINT64_MAX - length, i);
  });
  EditPass kept;
  std::uint64_t end = 0;
  for (const std::size_t i : order) {
    if (edits_[i].begin < end) continue;
    end = edits_[i].end;
    kept.push_back(std::move(edits_[i]));
  }
  return kept;
}

TextEdit Trimmed(std::uint64_t begin, std::string_view replaced, std::string text) {
  // The text is cut between characters only.
  const auto within = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  const auto same = std::ranges::mismatch(replaced, text);
  auto prefix = static_cast<std::size_t>(same.in1 - replaced.begin());
  while (prefix > 0 && within(prefix)) --prefix;
  std::size_t suffix = 0;
  const std::size_t most = std::min(replaced.size(), text.size()) - prefix;
  while (suffix < most && replaced[replaced.size() - 1 - suffix] == text[text.size() - 1 - suffix]) ++suffix;
  while (suffix > 0 && within(text.size() - suffix)) --suffix;
  return {begin + prefix, begin + replaced.size() - suffix, text.substr(prefix, text.size() - suffix - prefix)};
}

Status WriteEdited(const EditPass& edits, std::uint64_t size, const ReadBytes& read, const WriteBytes& write) {
  std::string buffer;
  std::uint64_t at = 0;
  for (const TextEdit& edit : edits) {
    TURNLOG_TRY(Copy(at, edit.begin, buffer, read, write));
    TURNLOG_TRY(write(edit.text));
    at = edit.end;
  }
  return Copy(at, size, buffer, read, write);
}

}  // namespace turnlog
