#include "doctor/leftover_secrets.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file_system.h"
#include "base/try.h"
#include "doctor/open_files.h"
#include "migrate/sqlite/database.h"
#include "migrate/sqlite/writable_database.h"
#include "sanitize/secrets/literal_finder.h"
#include "turnlog/redaction/secret_scan.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// A value that continues on another page is in two pieces: one half of it at least is in one of them.
constexpr std::size_t kLeastHalf = 8;

void AddHalves(std::string_view value, std::vector<SecretString>& known) {
  known.emplace_back(value);
  if (value.size() < 2 * kLeastHalf) return;
  known.emplace_back(value.substr(0, value.size() / 2));
  known.emplace_back(value.substr(value.size() / 2));
}

std::vector<fs::path> FilesOf(const fs::path& database) {
  std::vector<fs::path> files{database};
  std::error_code ignored;
  for (const std::string_view end : kDatabaseLogs) {
    const fs::path log = database.string() + std::string(end);
    if (fs::exists(fs::symlink_status(log, ignored))) files.push_back(log);
  }
  return files;
}

Result<SecretString> ReadSecret(const SecretLocation& location) {
  const auto file = TURNLOG_TRY(PosixFileSystem().Open(location.file, FileSystem::Access::kRead));
  SecretString value;
  const std::size_t read = TURNLOG_TRY(file->ReadAt(location.offset, value.Resize(location.length)));
  value.Resize(read);
  return value;
}

std::uint64_t BigEndian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<std::uint8_t>(byte);
  return number;
}

// The pages of a database: sqlite.org/fileformat2.html. A page with a part of a long value begins with the number of
// the page that continues it. If a free page has lost that number, mostly the page after it in the file continues it.
class Pages {
 public:
  static Result<Pages> Open(const fs::path& database) {
    constexpr std::size_t kPageSizeAt = 16;
    auto file = TURNLOG_TRY(PosixFileSystem().Open(database, FileSystem::Access::kRead));
    std::array<char, kPageSizeAt + 2> head{};
    const std::size_t read = TURNLOG_TRY(file->ReadAt(0, head));
    if (read < head.size()) return Pages(std::move(file), 0, 0);
    const std::uint64_t wanted = BigEndian({head.data() + kPageSizeAt, 2}), size = wanted == 1 ? 65'536 : wanted;
    const std::uint64_t bytes = TURNLOG_TRY(file->Size());
    return Pages(std::move(file), size, size < 512 ? 0 : bytes / size);
  }

  // Calls `visit` with the end of each page and the beginning of one that may continue it.
  Status VisitBorders(const std::function<void(std::string_view text)>& visit) const {
    SecretString buffer;
    for (std::uint64_t page = 1; page <= count_; ++page) {
      std::array<char, kNumber> number{};
      (void)TURNLOG_TRY(file_->ReadAt((page - 1) * size_, number));
      const std::uint64_t named = BigEndian({number.data(), number.size()}), next = named == 0 ? page + 1 : named;
      if (next <= count_ && next != page) visit(TURNLOG_TRY(Border(page, next, buffer)));
    }
    return {};
  }

 private:
  static constexpr std::size_t kNumber = 4;

  Pages(std::unique_ptr<File> file, std::uint64_t size, std::uint64_t count)
      : file_(std::move(file)), size_(size), count_(count) {}

  Result<std::string_view> Border(std::uint64_t page, std::uint64_t next, SecretString& buffer) const {
    constexpr std::size_t kAround = 256;
    const std::span<char> bytes = buffer.Resize(2 * kAround);
    (void)TURNLOG_TRY(file_->ReadAt(page * size_ - kAround, bytes.first(kAround)));
    (void)TURNLOG_TRY(file_->ReadAt((next - 1) * size_ + kNumber, bytes.last(kAround)));
    return buffer.view();
  }

  std::unique_ptr<File> file_;
  std::uint64_t size_, count_;
};

}  // namespace

LeftoverSecrets::LeftoverSecrets(const SessionSecrets& secrets, std::span<const RowChange> changes)
    : secrets_(secrets) {
  for (const RowChange& change : changes) {
    for (const ColumnChange& column : change.columns) {
      secrets_.ForEach(column.before, [&](std::string_view value) { AddHalves(value, known_); });
    }
  }
}

Result<bool> LeftoverSecrets::Search(const fs::path& database) {
  found_.clear();
  const std::vector<fs::path> files = FilesOf(database);
  TURNLOG_TRY(SearchRules(files));
  TURNLOG_TRY(SearchKnown(files));
  TURNLOG_TRY(SearchPageBorders(database));
  return !found_.empty();
}

Status LeftoverSecrets::SearchRules(const std::vector<fs::path>& files) {
  return Add(TURNLOG_TRY(ScanForSecrets(files, {.jobs = 1})));
}

Status LeftoverSecrets::SearchKnown(const std::vector<fs::path>& files) {
  if (known_.empty()) return {};
  std::vector<std::string_view> values;
  values.reserve(known_.size());
  for (const SecretString& value : known_) values.push_back(value.view());
  return Add(TURNLOG_TRY(ScanForSecrets(files, {.values = values, .jobs = 1})));
}

// What could not be read counts as not searched.
Status LeftoverSecrets::Add(const SecretScanReport& scan) {
  if (!scan.problems.empty()) {
    return std::unexpected(Error{ErrorCode::kIo, "its files cannot be read: " + scan.problems.front().reason});
  }
  for (const SecretLocation& location : scan.secrets) found_.push_back(TURNLOG_TRY(ReadSecret(location)));
  return {};
}

Status LeftoverSecrets::SearchPageBorders(const fs::path& database) {
  const Pages pages = TURNLOG_TRY(Pages::Open(database));
  return pages.VisitBorders([&](std::string_view text) {
    secrets_.ForEach(text, [&](std::string_view value) { found_.emplace_back(value); });
  });
}

Result<std::uint64_t> LeftoverSecrets::CountOutsideRows(const fs::path& database) const {
  if (found_.empty()) return std::uint64_t{0};
  std::vector<std::string_view> values;
  values.reserve(found_.size());
  for (const SecretString& value : found_) values.push_back(value.view());
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  const LiteralFinder finder(values);
  std::vector<bool> is_in_row(values.size());
  const WritableDatabase opened = TURNLOG_TRY(WritableDatabase::Open(database));
  TURNLOG_TRY(opened.VisitValues([&](std::string_view value) {
    finder.ForEach(value, [&](std::size_t index, std::size_t, std::size_t) {
      is_in_row[index] = true;
      return true;
    });
  }));
  return static_cast<std::uint64_t>(std::ranges::count(is_in_row, false));
}

Result<RemovedLeftovers> RemoveLeftovers(const fs::path& database, LeftoverSecrets& search) {
  const auto count = [&]() -> Result<std::uint64_t> {
    const bool found = TURNLOG_TRY(search.Search(database));
    return found ? search.CountOutsideRows(database) : Result<std::uint64_t>(std::uint64_t{0});
  };
  RemovedLeftovers removed;
  removed.found = removed.left = TURNLOG_TRY(count());
  // Each opens the database again: when a search closes a file, this process loses SQLite's locks on it.
  for (const auto& remove : {&WritableDatabase::EmptyLog, &WritableDatabase::Rebuild}) {
    if (removed.left == 0) break;
    {
      WritableDatabase opened = TURNLOG_TRY(WritableDatabase::Open(database));
      TURNLOG_TRY((opened.*remove)());
    }
    removed.left = TURNLOG_TRY(count());
  }
  return removed;
}

}  // namespace turnlog
