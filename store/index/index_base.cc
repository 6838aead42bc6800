#include "store/index/index_base.h"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/table.h>

#include <atomic>
#include <cstdarg>
#include <mutex>
#include <shared_mutex>

#include "base/try.h"
#include "store/index/index_files.h"
#include "store/index/index_folder.h"
#include "store/index/movable_folder.h"
#include "store/index/scratch_files.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNowhere = "/dev/null/index";  // a path that cannot exist
constexpr std::size_t kFewEntries = 256;             // what is read with fewer is likely to be read again

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

// RocksDB 7.8 recovers from a full disk in a thread of its own. Closing the database meanwhile may wait for ever,
// because a recovery that is cancelled can stay marked as in progress. Apply does it instead.
class NoAutoRecovery : public rocksdb::EventListener {
 public:
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status, bool* automatic) override {
    *automatic = false;
  }
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
  RocksWalk(std::shared_lock<std::shared_mutex> open, rocksdb::DB& db, const IndexFiles& files, std::string_view from,
            std::string_view to)
      : open_(std::move(open)), files_(files), to_(to), end_(to_) {
    rocksdb::ReadOptions options = Reading(false);
    if (!to_.empty()) options.iterate_upper_bound = &end_;
    iterator_.reset(db.NewIterator(options));
    iterator_->Seek(ToSlice(from));
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
  const IndexFiles& files_;
  const std::string to_;
  const rocksdb::Slice end_;  // what the iterator knows of it
  std::unique_ptr<rocksdb::Iterator> iterator_;
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

// An open database and what it is on, in the order in which they need one another.
struct Database {
  std::shared_ptr<IndexFiles> files;
  std::shared_ptr<MovableFolder> folder;  // null: a temporary index
  fs::path path;                          // of the folder
  std::unique_ptr<rocksdb::Env> env;
  std::unique_ptr<rocksdb::DB> db;  // none: it has been closed
};

// Undone if it fails.
rocksdb::Status Exchange(Database& old, Database& rebuilt, const fs::path& aside) {
  rocksdb::Status status = rebuilt.folder->Sync();
  if (status.ok()) status = SyncFolder(*old.files, old.path.parent_path());
  if (status.ok()) status = old.folder->MoveTo(aside);
  if (!status.ok()) return status;
  status = rebuilt.folder->MoveTo(old.path);
  if (status.ok()) {
    status = SyncFolder(*old.files, old.path.parent_path());
    if (status.ok()) return std::swap(old.path, rebuilt.path), status;
    (void)rebuilt.folder->MoveTo(rebuilt.path);  // report the first failure
  }
  (void)old.folder->MoveTo(old.path);
  return status;
}

class RocksIndex : public IndexBase {
 public:
  explicit RocksIndex(Database database) : database_(std::move(database)) {}

  Status ReplaceBy(IndexBase& rebuilt, const fs::path& aside) override {
    auto& other = static_cast<RocksIndex&>(rebuilt);
    if (const rocksdb::Status status = Exchange(database_, other.database_, aside); !status.ok()) {
      return Failed(status);
    }
    const std::scoped_lock lock(mutex_, other.mutex_);
    std::swap(database_, other.database_);
    return {};
  }

  Result<std::optional<std::string>> Get(std::string_view key, Expect expect) const override {
    const auto open = TURNLOG_TRY(Open());
    std::string value;
    rocksdb::ReadOptions options;
    options.fill_cache = expect == Expect::kPresent;
    const rocksdb::Status status = database_.db->Get(options, ToSlice(key), &value);
    if (status.IsNotFound()) return std::nullopt;
    if (!status.ok()) return Failed(status);
    return value;
  }

  Result<std::vector<std::pair<std::string, std::string>>> Range(std::string_view from, std::string_view prefix,
                                                                 std::size_t limit) const override {
    const auto open = TURNLOG_TRY(Open());
    std::vector<std::pair<std::string, std::string>> entries;
    const std::unique_ptr<rocksdb::Iterator> iterator(database_.db->NewIterator(Reading(limit <= kFewEntries)));
    for (iterator->Seek(ToSlice(from)); iterator->Valid() && entries.size() < limit; iterator->Next()) {
      if (!iterator->key().starts_with(ToSlice(prefix))) break;
      entries.emplace_back(iterator->key().ToString(), iterator->value().ToString());
    }
    if (!iterator->status().ok()) return Failed(iterator->status());
    return entries;
  }

  Status Apply(const IndexBatch& batch) override {
    const auto open = TURNLOG_TRY(Open());
    rocksdb::Status status = was_full_.exchange(false) ? database_.db->Resume() : rocksdb::Status();
    // No write-ahead log: the segments are one. The flush makes the whole batch durable, or none of it.
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    if (status.ok()) status = WriteTo(*database_.db, options, batch);
    rocksdb::FlushOptions flush;
    flush.wait = database_.folder != nullptr;  // what is temporary may also stay in memory
    if (status.ok()) status = database_.db->Flush(flush);
    if (status.ok()) return {};
    was_full_ = status.IsNoSpace();
    return Failed(status);
  }

  Status VerifyChecksums() const override {
    const auto open = TURNLOG_TRY(Open());
    if (const rocksdb::Status status = database_.db->VerifyChecksum(); !status.ok()) return Failed(status);
    return {};
  }

  std::uint64_t BytesOnDisk() const override {
    std::uint64_t bytes = 0;
    if (const auto open = Open()) database_.db->GetIntProperty("rocksdb.total-sst-files-size", &bytes);
    return bytes;
  }

  Result<std::unique_ptr<IndexWalk>> Walk(std::string_view from, std::string_view to) const override {
    auto open = TURNLOG_TRY(Open());
    return std::make_unique<RocksWalk>(std::move(open), *database_.db, *database_.files, from, to);
  }

  void Close() override {
    const std::unique_lock lock(mutex_);
    database_.db.reset();
  }

 private:
  std::unexpected<Error> Failed(const rocksdb::Status& status) const { return Translate(status, *database_.files); }

  // The database is open as long as the lock is held.
  Result<std::shared_lock<std::shared_mutex>> Open() const {
    std::shared_lock lock(mutex_);
    if (database_.db == nullptr) return std::unexpected(Error{ErrorCode::kNeedsReopen, "the store has been closed"});
    return lock;
  }

  std::atomic<bool> was_full_ = false;  // the disk, when Apply failed last
  Database database_;                   // guarded by mutex_, but for what only ReplaceBy uses
  mutable std::shared_mutex mutex_;
};

rocksdb::Options IndexOptions(rocksdb::Env& env) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 5;
  table.checksum = rocksdb::kXXH3;
  table.block_size = 4 << 10;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.block_cache = rocksdb::NewLRUCache(64 << 20);
  rocksdb::Options options;
  options.env = &env;
  options.info_log = std::make_shared<NoLogger>();
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.merge_operator = std::make_shared<AppendOperator>();
  options.compression = rocksdb::kNoCompression;
  // An entry is written anew as often as there are sizes of files, not as often as there are checkpoints. What is
  // hashed (names, ids) lies all over the keys: by levels, every fourth checkpoint would write all of it again.
  options.compaction_style = rocksdb::kCompactionStyleUniversal;
  options.level0_file_num_compaction_trigger = 8;      // with 4, many conversations cost a sixth more to import
  options.write_buffer_size = std::size_t{256} << 20;  // a checkpoint is one memtable: it is flushed as one
  options.max_open_files = -1;                         // a reader keeps files that the writer has removed since
  options.max_background_jobs = 2;
  options.max_bgerror_resume_count = 0;  // no retries after a failed write
  options.listeners.push_back(std::make_shared<NoAutoRecovery>());
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

}  // namespace

Result<std::unique_ptr<IndexBase>> IndexBase::Open(const fs::path& folder, Access access,
                                                   const Environment& environment) {
  const auto files = std::make_shared<IndexFiles>(EnvOf(environment)->GetFileSystem());
  const auto movable = std::make_shared<MovableFolder>(files, folder, access != Access::kCreateToReplace);
  auto env = std::make_unique<IndexEnv>(*EnvOf(environment), movable);
  rocksdb::Options options = IndexOptions(*env);
  rocksdb::Status status;
  if (access == Access::kCreate || access == Access::kCreateToReplace) {
    options.create_if_missing = options.error_if_exists = true;
    status = MakeIndexFolder(*files, folder);
  } else {
    TURNLOG_TRY(CheckIndexFolder(*environment.files, folder));
  }
  rocksdb::DB* db = nullptr;
  if (status.ok() && access == Access::kRead) {
    status = OpenBeside(options, folder.string(), &db);
  } else if (status.ok()) {
    status = rocksdb::DB::Open(options, folder.string(), &db);
  }
  if (!status.ok()) return Translate(status, *files);
  return std::make_unique<RocksIndex>(
      Database{files, movable, folder, std::move(env), std::unique_ptr<rocksdb::DB>(db)});
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
  // It is walked through once: writing entries anew would cost more than a walk through many files does.
  options.level0_file_num_compaction_trigger = 128;
  options.level0_slowdown_writes_trigger = 192;
  options.level0_stop_writes_trigger = 256;
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(options, kNowhere, &db);
  if (!status.ok()) return Translate(status, *files);
  return std::make_unique<RocksIndex>(Database{files, {}, {}, std::move(env), std::unique_ptr<rocksdb::DB>(db)});
}

}  // namespace turnlog
