// Each event is a key and a value in RocksDB: the usual way of building an event store on it. One committer writes
// everything pending in one batch, which is faster than RocksDB's own grouping; an inquiry is one more key in the same
// batch.
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include "bench/peers/group_commit.h"
#include "bench/peers/keys.h"
#include "bench/peers/payload.h"

namespace turnlog {
namespace {

void Check(const rocksdb::Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

rocksdb::Options TunedOptions() {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 5;
  table.checksum = rocksdb::kXXH3;
  table.block_size = 4 << 10;
  table.filter_policy.reset(rocksdb::NewRibbonFilterPolicy(10));
  table.block_cache = rocksdb::NewLRUCache(256 << 20);
  rocksdb::Options options;
  options.create_if_missing = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.compression = rocksdb::kNoCompression;
  options.write_buffer_size = 128 << 20;
  options.max_write_buffer_number = 4;
  options.max_background_jobs = 2;
  options.bytes_per_sync = 1 << 20;
  options.allow_mmap_reads = true;  // twice as fast from the page cache
  return options;
}

class Rocks : public PayloadEngine<Rocks> {
 public:
  explicit Rocks(const std::filesystem::path& folder)
      : commit_([this](rocksdb::WriteBatch& changes, bool sync) { Write(changes, sync); }) {
    rocksdb::DB* db = nullptr;
    Check(rocksdb::DB::Open(TunedOptions(), folder.string(), &db));
    db_.reset(db);
  }

  std::uint64_t AppendLater(const Batch& batch) override {
    return commit_.Add([&](rocksdb::WriteBatch& changes) {
      std::uint64_t seq = batch.first_seq;
      for (const std::string& payload : batch.payloads) {
        Check(changes.Put(EventKeyOf(batch.conversation, seq++), payload));
      }
      ForEachInquiry(batch, [&](const Hash128& id, std::uint64_t at) {
        Check(changes.Put(InquiryKeyOf(batch.conversation, id), InquiryValueOf(at)));
      });
    });
  }
  void Wait(std::uint64_t ticket, Durability durability) override { commit_.Wait(ticket, durability); }

  void Settle() override { Check(db_->Flush({})); }

  Seen ReadAll(Depth depth) override { return Read(kEventPrefix, depth); }
  Seen ReadConversation(std::uint32_t conversation) override {
    return Read(EventPrefixOf(conversation), Depth::kRecord);
  }

  Seen ReadOne(std::uint32_t conversation, std::uint64_t seq) override {
    Seen seen;
    rocksdb::PinnableSlice value;
    Check(db_->Get({}, db_->DefaultColumnFamily(), EventKeyOf(conversation, seq), &value));
    See(value.ToStringView(), Depth::kRecord, seen);
    return seen;
  }

  Seen ReadInquiry(std::uint32_t conversation, std::string_view id) override {
    std::string value;
    Check(db_->Get({}, InquiryKeyOf(conversation, HashId(id, 0)), &value));
    return ReadOne(conversation, Decoder{value}.Varint());
  }

 private:
  friend class PayloadEngine<Rocks>;
  void Write(rocksdb::WriteBatch& changes, bool sync) {
    rocksdb::WriteOptions options;
    options.sync = sync;
    Check(db_->Write(options, &changes));
    changes.Clear();
  }

  Seen Read(const std::string& prefix, Depth depth) {
    Seen seen;
    std::string end = prefix;
    ++end.back();
    rocksdb::ReadOptions options;
    const rocksdb::Slice bound(end);
    options.iterate_upper_bound = &bound;
    options.readahead_size = 2 << 20;
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(options));
    for (at->Seek(prefix); at->Valid(); at->Next()) See(at->value().ToStringView(), depth, seen);
    Check(at->status());
    return seen;
  }

  template <class TakeFn>
  void ReadBackward(std::uint32_t conversation, TakeFn take) {
    const std::string prefix = EventPrefixOf(conversation);
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator({}));
    at->SeekForPrev(EventKeyOf(conversation, UINT64_MAX));
    while (at->Valid() && at->key().starts_with(prefix) && take(at->value().ToStringView())) at->Prev();
    Check(at->status());
  }

  GroupCommit<rocksdb::WriteBatch> commit_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace

const EngineKind kRocks{"RocksDB", [](const std::filesystem::path& folder, Durability) -> std::unique_ptr<Engine> {
                          return std::make_unique<Rocks>(folder);
                        }};

}  // namespace turnlog
