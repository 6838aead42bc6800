#include "store/index_base.h"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include "base/try.h"

namespace turnlog {
namespace {

std::unexpected<Error> Translate(const rocksdb::Status& status) {
  const ErrorCode code = status.IsCorruption() || status.IsInvalidArgument() ? ErrorCode::kCorruption : ErrorCode::kIo;
  return std::unexpected(Error{code, fmt::format("index: {}", status.ToString())});
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

class RocksWalk : public IndexWalk {
 public:
  explicit RocksWalk(std::unique_ptr<rocksdb::Iterator> iterator) : iterator_(std::move(iterator)) {
    iterator_->SeekToFirst();
  }
  bool Valid() const override { return iterator_->Valid(); }
  std::string_view key() const override { return iterator_->key().ToStringView(); }
  std::string_view value() const override { return iterator_->value().ToStringView(); }
  void Next() override { iterator_->Next(); }
  Status status() const override {
    if (!iterator_->status().ok()) return Translate(iterator_->status());
    return {};
  }

 private:
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

class RocksIndex : public IndexBase {
 public:
  explicit RocksIndex(std::unique_ptr<rocksdb::DB> db) : db_(std::move(db)) {}

  Result<std::optional<std::string>> Get(std::string_view key) const override {
    std::string value;
    const rocksdb::Status status = db_->Get({}, ToSlice(key), &value);
    if (status.IsNotFound()) return std::nullopt;
    if (!status.ok()) return Translate(status);
    return value;
  }

  Result<std::optional<std::pair<std::string, std::string>>> Seek(std::string_view from,
                                                                  std::string_view prefix) const override {
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator({}));
    iterator->Seek(ToSlice(from));
    if (!iterator->status().ok()) return Translate(iterator->status());
    if (!iterator->Valid() || !iterator->key().starts_with(ToSlice(prefix))) return std::nullopt;
    return std::pair(iterator->key().ToString(), iterator->value().ToString());
  }

  Result<std::vector<std::pair<std::string, std::string>>> Range(std::string_view from, std::string_view prefix,
                                                                 std::size_t limit) const override {
    std::vector<std::pair<std::string, std::string>> entries;
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator({}));
    for (iterator->Seek(ToSlice(from)); iterator->Valid() && entries.size() < limit; iterator->Next()) {
      if (!iterator->key().starts_with(ToSlice(prefix))) break;
      entries.emplace_back(iterator->key().ToString(), iterator->value().ToString());
    }
    if (!iterator->status().ok()) return Translate(iterator->status());
    return entries;
  }

  Status Apply(const IndexBatch& batch) override {
    rocksdb::WriteBatch changes;
    for (const std::string& key : batch.removes) changes.Delete(key);
    for (const auto& [key, value] : batch.puts) changes.Put(key, value);
    for (const auto& [key, value] : batch.appends) changes.Merge(key, value);
    // No write-ahead log: the segments are one. The flush makes the whole batch durable, or none of it.
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    if (const rocksdb::Status status = db_->Write(options, &changes); !status.ok()) return Translate(status);
    if (const rocksdb::Status status = db_->Flush({}); !status.ok()) return Translate(status);
    return {};
  }

  Status VerifyChecksums() const override {
    if (const rocksdb::Status status = db_->VerifyChecksum(); !status.ok()) return Translate(status);
    return {};
  }

  std::uint64_t BytesOnDisk() const override {
    std::uint64_t bytes = 0;
    db_->GetIntProperty("rocksdb.total-sst-files-size", &bytes);
    return bytes;
  }

  std::unique_ptr<IndexWalk> Walk() const override {
    return std::make_unique<RocksWalk>(std::unique_ptr<rocksdb::Iterator>(db_->NewIterator({})));
  }

 private:
  std::unique_ptr<rocksdb::DB> db_;
};

rocksdb::Options IndexOptions(const Environment& environment) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 5;
  table.checksum = rocksdb::kXXH3;
  table.block_size = 4 << 10;
  table.filter_policy.reset(rocksdb::NewRibbonFilterPolicy(10));
  table.block_cache = rocksdb::NewLRUCache(64 << 20);
  rocksdb::Options options;
  if (environment.index != nullptr) options.env = environment.index;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.merge_operator = std::make_shared<AppendOperator>();
  options.compression = rocksdb::kNoCompression;
  options.memtable_insert_with_hint_prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(1));  // keys come in order
  options.write_buffer_size = std::size_t{256} << 20;  // a checkpoint is one memtable: it is flushed as one
  options.max_open_files = -1;                         // a reader keeps files that the writer has removed since
  options.max_background_jobs = 2;
  options.keep_log_file_num = 1;
  options.max_log_file_size = 1 << 20;
  options.info_log_level = rocksdb::InfoLogLevel::ERROR_LEVEL;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

// Beside a writer, files may be gone by the time they are opened, because a compaction has replaced them. Each look
// finds other ones gone then; what is missing twice is missing.
rocksdb::Status OpenBeside(const rocksdb::Options& options, const std::string& folder, rocksdb::DB** db) {
  rocksdb::Status status = rocksdb::DB::OpenForReadOnly(options, folder, db);
  for (std::string last; !status.ok() && status.ToString() != last;) {
    last = status.ToString();
    status = rocksdb::DB::OpenForReadOnly(options, folder, db);
  }
  return status;
}

}  // namespace

Result<std::unique_ptr<IndexBase>> IndexBase::Open(const std::filesystem::path& folder, Access access,
                                                   const Environment& environment) {
  rocksdb::Options options = IndexOptions(environment);
  rocksdb::DB* db = nullptr;
  rocksdb::Status status;
  if (access == Access::kCreate) {
    status = rocksdb::DestroyDB(folder.string(), options);
    if (!status.ok()) return Translate(status);
    options.create_if_missing = true;
  }
  if (access == Access::kRead) {
    status = OpenBeside(options, folder.string(), &db);
  } else {
    status = rocksdb::DB::Open(options, folder.string(), &db);
  }
  if (!status.ok()) return Translate(status);
  return std::make_unique<RocksIndex>(std::unique_ptr<rocksdb::DB>(db));
}

}  // namespace turnlog
