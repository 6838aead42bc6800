#include "store/index/index_base.h"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdarg>
#include <mutex>
#include <shared_mutex>

#include "base/try.h"
#include "store/index/index_files.h"
#include "store/index/scratch_files.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCurrent = "CURRENT";     // written by RocksDB's last step of creating a database
constexpr const char* kNowhere = "/dev/null/index";  // a path that cannot exist
constexpr std::size_t kFewEntries = 256;             // what is read with fewer is likely to be read again

// An error of the operating system takes precedence: RocksDB may report it as something else.
std::unexpected<Error> Translate(const rocksdb::Status& status, const IndexFiles& files) {
  const std::string refusal = files.refusal();
  ErrorCode code = ErrorCode::kIo;
  if (status.IsPathNotFound() || status.IsNotFound()) code = ErrorCode::kNotFound;
  if (status.IsCorruption() || status.IsInvalidArgument() || status.IsNotSupported()) code = ErrorCode::kCorruption;
  if (!refusal.empty()) code = ErrorCode::kIo;
  return std::unexpected(Error{code, fmt::format("index: {}", refusal.empty() ? status.ToString() : refusal)});
}

rocksdb::Slice ToSlice(std::string_view text) { return {text.data(), text.size()}; }

// Appends to values without reading them first.
class AppendOperator : public rocksdb::AssociativeMergeOperator {
 public:
  bool Merge(const rocksdb::Slice&, const rocksdb::Slice* known, const rocksdb::Slice& more, std::string* value,
             rocksdb::Logger*) const override {
    value->clear();
    if (known != nullptr) value->append(known->data(), known->size());
    value->append(more.data(), more.size());
    return true;
  }
  const char* Name() const override { return "turnlog.append"; }
};

// Disables RocksDB's info log: it is not needed, and Debian's RocksDB aborts when it cannot be written.
class NoLogger : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

// Ranges are never deleted here. Looking for their marks has a bug in RocksDB 7.8: between the files of a level it
// takes a damaged block for the end of the level, without a word.
//
// `keep`: in the cache. Blocks that are read once, in a walk through the index, would only fill it.
rocksdb::ReadOptions Reading(bool keep) {
  rocksdb::ReadOptions options;
  options.ignore_range_deletions = true;
  options.fill_cache = keep;
  return options;
}

class RocksWalk : public IndexWalk {
 public:
  RocksWalk(std::shared_lock<std::shared_mutex> open, std::unique_ptr<rocksdb::Iterator> iterator,
            const IndexFiles& files)
      : open_(std::move(open)), iterator_(std::move(iterator)), files_(files) {
    iterator_->SeekToFirst();
  }
  bool Valid() const override { return iterator_->Valid(); }
  std::string_view key() const override { return iterator_->key().ToStringView(); }
  std::string_view value() const override { return iterator_->value().ToStringView(); }
  void Next() override { iterator_->Next(); }
  Status status() const override {
    if (!iterator_->status().ok()) return Translate(iterator_->status(), files_);
    return {};
  }

 private:
  const std::shared_lock<std::shared_mutex> open_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
  const IndexFiles& files_;
};

rocksdb::Status WriteTo(rocksdb::DB& db, const rocksdb::WriteOptions& options, const IndexBatch& batch) {
  rocksdb::WriteBatch changes(batch.bytes());
  rocksdb::Status status;
  batch.ForEach([&](const IndexBatch::Change& change) {
    const rocksdb::Slice key = ToSlice(change.key), value = ToSlice(change.value);
    if (!status.ok()) return;
    if (change.kind == IndexBatch::Kind::kPut) status = changes.Put(key, value);
    if (change.kind == IndexBatch::Kind::kAppend) status = changes.Merge(key, value);
    if (change.kind == IndexBatch::Kind::kRemove) status = changes.Delete(key);
  });
  return status.ok() ? db.Write(options, &changes) : status;
}

class RocksIndex : public IndexBase {
 public:
  RocksIndex(std::shared_ptr<IndexFiles> files, std::unique_ptr<rocksdb::Env> env, std::unique_ptr<rocksdb::DB> db)
      : files_(std::move(files)), env_(std::move(env)), db_(std::move(db)) {}

  Result<std::optional<std::string>> Get(std::string_view key) const override {
    const auto open = TURNLOG_TRY(Open());
    std::string value;
    const rocksdb::Status status = db_->Get({}, ToSlice(key), &value);
    if (status.IsNotFound()) return std::nullopt;
    if (!status.ok()) return Failed(status);
    return value;
  }

  Result<std::vector<std::pair<std::string, std::string>>> Range(std::string_view from, std::string_view prefix,
                                                                 std::size_t limit) const override {
    const auto open = TURNLOG_TRY(Open());
    std::vector<std::pair<std::string, std::string>> entries;
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(Reading(limit <= kFewEntries)));
    for (iterator->Seek(ToSlice(from)); iterator->Valid() && entries.size() < limit; iterator->Next()) {
      if (!iterator->key().starts_with(ToSlice(prefix))) break;
      entries.emplace_back(iterator->key().ToString(), iterator->value().ToString());
    }
    if (!iterator->status().ok()) return Failed(iterator->status());
    return entries;
  }

  Status Apply(const IndexBatch& batch) override {
    const auto open = TURNLOG_TRY(Open());
    // No write-ahead log: the segments are one. The flush makes the whole batch durable, or none of it.
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    if (const rocksdb::Status status = WriteTo(*db_, options, batch); !status.ok()) return Failed(status);
    if (const rocksdb::Status status = db_->Flush({}); !status.ok()) return Failed(status);
    return {};
  }

  Status VerifyChecksums() const override {
    const auto open = TURNLOG_TRY(Open());
    if (const rocksdb::Status status = db_->VerifyChecksum(); !status.ok()) return Failed(status);
    return {};
  }

  std::uint64_t BytesOnDisk() const override {
    std::uint64_t bytes = 0;
    if (const auto open = Open()) db_->GetIntProperty("rocksdb.total-sst-files-size", &bytes);
    return bytes;
  }

  Result<std::unique_ptr<IndexWalk>> Walk() const override {
    auto open = TURNLOG_TRY(Open());
    std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(Reading(false)));
    return std::make_unique<RocksWalk>(std::move(open), std::move(iterator), *files_);
  }

  void Close() override {
    const std::unique_lock lock(mutex_);
    db_.reset();
  }

 private:
  std::unexpected<Error> Failed(const rocksdb::Status& status) const { return Translate(status, *files_); }

  // The database is open as long as the lock is held.
  Result<std::shared_lock<std::shared_mutex>> Open() const {
    std::shared_lock lock(mutex_);
    if (db_ == nullptr) return std::unexpected(Error{ErrorCode::kNeedsReopen, "the store has been closed"});
    return lock;
  }

  const std::shared_ptr<IndexFiles> files_;
  const std::unique_ptr<rocksdb::Env> env_;  // outlives the database
  std::unique_ptr<rocksdb::DB> db_;          // none: it has been closed; guarded by mutex_
  mutable std::shared_mutex mutex_;
};

rocksdb::Options IndexOptions(rocksdb::Env& env) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 5;
  table.checksum = rocksdb::kXXH3;
  table.block_size = 4 << 10;
  table.filter_policy.reset(rocksdb::NewRibbonFilterPolicy(10));
  table.block_cache = rocksdb::NewLRUCache(64 << 20);
  rocksdb::Options options;
  options.env = &env;
  options.info_log = std::make_shared<NoLogger>();
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.merge_operator = std::make_shared<AppendOperator>();
  options.compression = rocksdb::kNoCompression;
  options.memtable_insert_with_hint_prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(1));  // keys come in order
  options.write_buffer_size = std::size_t{256} << 20;  // a checkpoint is one memtable: it is flushed as one
  options.max_open_files = -1;                         // a reader keeps files that the writer has removed since
  options.max_background_jobs = 2;
  options.max_bgerror_resume_count = 0;  // no retries after a failed write
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

// With a concurrent writer, a compaction may remove files before they are opened. Then each attempt misses different
// files; a file that is missing twice is lost.
rocksdb::Status OpenBeside(const rocksdb::Options& options, const std::string& folder, rocksdb::DB** db) {
  rocksdb::Status status = rocksdb::DB::OpenForReadOnly(options, folder, db);
  for (std::string last; !status.ok() && status.ToString() != last;) {
    last = status.ToString();
    status = rocksdb::DB::OpenForReadOnly(options, folder, db);
  }
  return status;
}

rocksdb::Env* EnvOf(const Environment& environment) {
  return environment.index != nullptr ? environment.index : rocksdb::Env::Default();
}

Status RequireFolder(FileSystem& files, const fs::path& folder) {
  const FileKind kind = TURNLOG_TRY(files.KindOf(folder));
  if (kind == FileKind::kFolder) return {};
  return std::unexpected(Error{kind == FileKind::kMissing ? ErrorCode::kNotFound : ErrorCode::kInvalidArgument,
                               fmt::format("{} is {}, not a folder", folder.string(), ToString(kind))});
}

// RocksDB would follow links out of the store, and wait for a FIFO for ever.
Status CheckFiles(FileSystem& files, const fs::path& folder) {
  TURNLOG_TRY(RequireFolder(files, folder));
  for (const std::string& name : TURNLOG_TRY(files.List(folder))) {
    const FileKind kind = TURNLOG_TRY(files.KindOf(folder / name));
    if (kind == FileKind::kFile || kind == FileKind::kFolder || kind == FileKind::kMissing) continue;
    return std::unexpected(
        Error{ErrorCode::kIo, fmt::format("{} is {}, not a regular file", (folder / name).string(), ToString(kind))});
  }
  if (TURNLOG_TRY(Exists(files, folder / kCurrent))) return {};
  return std::unexpected(Error{ErrorCode::kNotFound, fmt::format("the index at {} is unfinished", folder.string())});
}

rocksdb::Status SyncFolder(rocksdb::FileSystem& files, const fs::path& folder) {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  rocksdb::Status status = files.NewDirectory(folder.string(), {}, &directory, nullptr);
  return status.ok() ? directory->Fsync({}, nullptr) : status;
}

rocksdb::Status MakeFolder(rocksdb::FileSystem& files, const fs::path& folder) {
  rocksdb::Status status = files.CreateDirIfMissing(folder.string(), {}, nullptr);
  if (status.ok()) (void)::chmod(folder.c_str(), 0700);
  return status.ok() ? SyncFolder(files, folder.parent_path()) : status;
}

rocksdb::Status Swap(rocksdb::FileSystem& files, const fs::path& folder, const fs::path& fresh, const fs::path& aside) {
  rocksdb::Status status = SyncFolder(files, fresh);
  if (status.ok()) status = SyncFolder(files, folder.parent_path());
  if (status.ok()) status = files.RenameFile(folder.string(), aside.string(), {}, nullptr);
  if (!status.ok()) return status;
  status = files.RenameFile(fresh.string(), folder.string(), {}, nullptr);
  if (status.ok()) return SyncFolder(files, folder.parent_path());
  (void)files.RenameFile(aside.string(), folder.string(), {}, nullptr);  // report the first failure
  return status;
}

}  // namespace

Result<std::unique_ptr<IndexBase>> IndexBase::Open(const fs::path& folder, Access access,
                                                   const Environment& environment) {
  const auto files = std::make_shared<IndexFiles>(EnvOf(environment)->GetFileSystem());
  auto env = std::make_unique<IndexEnv>(*EnvOf(environment), files);
  rocksdb::Options options = IndexOptions(*env);
  rocksdb::Status status;
  if (access == Access::kCreate) {
    options.create_if_missing = options.error_if_exists = true;
    status = MakeFolder(*files, folder);
  } else {
    TURNLOG_TRY(CheckFiles(*environment.files, folder));
  }
  rocksdb::DB* db = nullptr;
  if (status.ok() && access == Access::kRead) {
    status = OpenBeside(options, folder.string(), &db);
  } else if (status.ok()) {
    status = rocksdb::DB::Open(options, folder.string(), &db);
  }
  if (!status.ok()) return Translate(status, *files);
  return std::make_unique<RocksIndex>(files, std::move(env), std::unique_ptr<rocksdb::DB>(db));
}

Result<std::unique_ptr<IndexBase>> IndexBase::MakeScratch() {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  if (error) {
    return std::unexpected(
        Error{ErrorCode::kIo, fmt::format("cannot use the folder for temporary files: {}", error.message())});
  }
  const auto files = std::make_shared<IndexFiles>(std::make_shared<ScratchFiles>(folder));
  auto env = std::make_unique<IndexEnv>(*rocksdb::Env::Default(), files);
  rocksdb::Options options = IndexOptions(*env);
  options.create_if_missing = true;
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(options, kNowhere, &db);
  if (!status.ok()) return Translate(status, *files);
  return std::make_unique<RocksIndex>(files, std::move(env), std::unique_ptr<rocksdb::DB>(db));
}

Status IndexBase::Remove(const fs::path& folder, const Environment& environment) {
  if (!TURNLOG_TRY(Exists(*environment.files, folder))) return {};
  TURNLOG_TRY(RequireFolder(*environment.files, folder));
  std::vector<std::string> names = TURNLOG_TRY(environment.files->List(folder));
  std::ranges::partition(names, [](const std::string& name) { return name == kCurrent; });
  IndexFiles files(EnvOf(environment)->GetFileSystem());
  for (const std::string& name : names) {
    const rocksdb::Status status = files.DeleteFile((folder / name).string(), {}, nullptr);
    if (!status.ok()) return Translate(status, files);
  }
  const rocksdb::Status status = files.DeleteDir(folder.string(), {}, nullptr);
  if (!status.ok()) return Translate(status, files);
  return {};
}

Status IndexBase::Replace(const fs::path& folder, const fs::path& fresh, const fs::path& aside,
                          const Environment& environment) {
  IndexFiles files(EnvOf(environment)->GetFileSystem());
  if (const rocksdb::Status status = Swap(files, folder, fresh, aside); !status.ok()) return Translate(status, files);
  (void)Remove(aside, environment);  // the next writer removes any remains
  return {};
}

}  // namespace turnlog
