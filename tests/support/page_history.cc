#include "tests/support/page_history.h"

#include <algorithm>
#include <limits>
#include <ranges>
#include <set>
#include <span>

#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kSector = 512;

}  // namespace

Status PageHistory::WillWrite(std::uint64_t offset, std::uint64_t length) {
  if (epochs_.empty() || epochs_.back().truncated_to) {
    epochs_.push_back({.size_before = TURNLOG_TRY(file_->Size()), .truncated_to = {}, .pages = {}});
  }
  return Keep(epochs_.back(), offset, offset + length);
}

Status PageHistory::WillTruncate(std::uint64_t size) {
  const std::uint64_t now = TURNLOG_TRY(file_->Size());
  if (size >= now) return WillExtend();
  epochs_.push_back({.size_before = now, .truncated_to = size, .pages = {}});
  return Keep(epochs_.back(), size, now);
}

Status PageHistory::Keep(Epoch& epoch, std::uint64_t begin, std::uint64_t end) {
  if (begin == end) return {};
  for (std::uint64_t page = begin / kPage; page <= (end - 1) / kPage; ++page) {
    if (epoch.pages.contains(page)) continue;
    std::string bytes(kPage, '\0');
    bytes.resize(TURNLOG_TRY(file_->ReadAt(page * kPage, std::span(bytes))));
    bytes.resize(bytes.find_last_not_of('\0') + 1);
    epoch.pages.emplace(page, std::move(bytes));
  }
  return {};
}

Status PageHistory::Crash(CrashRandom& random, Loss loss) {
  if (loss == Loss::kAll) return UndoFrom(0);
  const auto undone = std::ranges::find_if(
      epochs_, [&](const Epoch& epoch) { return epoch.truncated_to.has_value() && random() % 2 == 0; });
  TURNLOG_TRY(UndoFrom(static_cast<std::size_t>(undone - epochs_.begin())));
  if (epochs_.empty()) return {};
  const std::uint64_t size = TURNLOG_TRY(SomeSize(random));
  TURNLOG_TRY(UndoSomePages(random));
  TURNLOG_TRY(file_->Truncate(size));
  epochs_.clear();
  return {};
}

Status PageHistory::UndoFrom(std::size_t first_epoch) {
  if (first_epoch == epochs_.size()) return {};
  for (const Epoch& epoch : epochs_ | std::views::drop(first_epoch) | std::views::reverse) {
    for (const auto& [page, before] : epoch.pages) TURNLOG_TRY(PutBack(page, before, 0, kPage));
  }
  TURNLOG_TRY(file_->Truncate(epochs_[first_epoch].size_before));
  epochs_.resize(first_epoch);
  return {};
}

// A page written in two epochs is on disk in its state before both, between them, or after both.
Status PageHistory::UndoSomePages(CrashRandom& random) {
  std::set<std::uint64_t> settled;
  std::uint64_t cut = std::numeric_limits<std::uint64_t>::max();
  for (const Epoch& epoch : epochs_ | std::views::reverse) {
    if (epoch.truncated_to) {
      cut = std::min(cut, *epoch.truncated_to);
      continue;
    }
    for (const auto& [page, before] : epoch.pages) {
      if (page * kPage >= cut || settled.contains(page)) continue;
      const std::uint64_t dice = random() % 8;
      const bool torn = dice == 0;
      if (dice < 4) settled.insert(page);
      if (dice >= 4 || torn) {
        const std::uint64_t begin = torn ? random() % (kPage / kSector) * kSector : 0;
        TURNLOG_TRY(PutBack(page, before, begin, std::min(kPage, cut - page * kPage)));
      }
    }
  }
  return {};
}

Result<std::uint64_t> PageHistory::SomeSize(CrashRandom& random) {
  const std::uint64_t now = TURNLOG_TRY(file_->Size());
  std::uint64_t synced = now;
  for (const Epoch& epoch : epochs_ | std::views::reverse) {
    if (epoch.truncated_to) break;
    synced = epoch.size_before;
  }
  switch (random() % 3) {
    case 0:
      return synced;
    case 1:
      return now;
    default:
      return synced + random() % (now - synced + 1);
  }
}

Status PageHistory::PutBack(std::uint64_t page, const std::string& before, std::uint64_t begin, std::uint64_t end) {
  std::string bytes = before;
  bytes.resize(kPage);
  if (begin >= end) return {};
  return file_->WriteAt(page * kPage + begin, std::string_view(bytes).substr(begin, end - begin));
}

}  // namespace turnlog
