// Each event is a key and a value in LevelDB, as in RocksDB. One committer writes everything pending in one batch; an
// inquiry is one more key in the same batch.
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>

#include <memory>
#include <string>

#include "bench/peers/group_commit.h"
#include "bench/peers/keys.h"
#include "bench/peers/payload.h"

namespace turnlog {
namespace {

void Check(const leveldb::Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

std::string_view ViewOf(const leveldb::Slice& slice) { return {slice.data(), slice.size()}; }

leveldb::ReadOptions Checked() {
  leveldb::ReadOptions options;
  options.verify_checksums = true;
  return options;
}

class LevelDb : public PayloadEngine<LevelDb> {
 public:
  explicit LevelDb(const std::filesystem::path& folder)
      : commit_([this](leveldb::WriteBatch& changes, bool sync) { Write(changes, sync); }) {
    leveldb::Options options;
    options.create_if_missing = true;
    options.compression = leveldb::kNoCompression;
    options.write_buffer_size = 128 << 20;
    options.block_cache = cache_.get();
    options.filter_policy = filter_.get();
    leveldb::DB* db = nullptr;
    Check(leveldb::DB::Open(options, folder.string(), &db));
    db_.reset(db);
  }

  std::uint64_t AppendLater(const Batch& batch) override {
    return commit_.Add([&](leveldb::WriteBatch& changes) {
      std::uint64_t seq = batch.first_seq;
      for (const std::string& payload : batch.payloads) changes.Put(EventKeyOf(batch.conversation, seq++), payload);
      ForEachInquiry(batch, [&](const Hash128& id, std::uint64_t at) {
        changes.Put(InquiryKeyOf(batch.conversation, id), InquiryValueOf(at));
      });
    });
  }
  void Wait(std::uint64_t ticket, Durability durability) override { commit_.Wait(ticket, durability); }

  // There is no flush. Compacting a range without keys is one: the write buffer becomes a table, and nothing else.
  void Settle() override {
    const leveldb::Slice after_all("~");
    db_->CompactRange(&after_all, &after_all);
  }

  Seen ReadAll(Depth depth) override { return Read(kEventPrefix, depth); }
  Seen ReadConversation(std::uint32_t conversation) override {
    return Read(EventPrefixOf(conversation), Depth::kRecord);
  }

  Seen ReadOne(std::uint32_t conversation, std::uint64_t seq) override {
    Seen seen;
    Check(db_->Get(Checked(), EventKeyOf(conversation, seq), &value_));
    See(value_, Depth::kRecord, seen);
    return seen;
  }

  Seen ReadInquiry(std::uint32_t conversation, std::string_view id) override {
    Check(db_->Get(Checked(), InquiryKeyOf(conversation, HashId(id, 0)), &value_));
    return ReadOne(conversation, Decoder{value_}.Varint());
  }

 private:
  friend class PayloadEngine<LevelDb>;
  void Write(leveldb::WriteBatch& changes, bool sync) {
    leveldb::WriteOptions options;
    options.sync = sync;
    Check(db_->Write(options, &changes));
    changes.Clear();
  }

  Seen Read(const std::string& prefix, Depth depth) {
    Seen seen;
    const std::unique_ptr<leveldb::Iterator> at(db_->NewIterator(Checked()));
    for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) {
      See(ViewOf(at->value()), depth, seen);
    }
    Check(at->status());
    return seen;
  }

  template <class TakeFn>
  void ReadBackward(std::uint32_t conversation, TakeFn take) {
    const std::string prefix = EventPrefixOf(conversation);
    const std::unique_ptr<leveldb::Iterator> at(db_->NewIterator(Checked()));
    at->Seek(EventKeyOf(conversation, UINT64_MAX));
    at->Valid() ? at->Prev() : at->SeekToLast();
    while (at->Valid() && at->key().starts_with(prefix) && take(ViewOf(at->value()))) at->Prev();
    Check(at->status());
  }

  const std::unique_ptr<leveldb::Cache> cache_{leveldb::NewLRUCache(256 << 20)};
  const std::unique_ptr<const leveldb::FilterPolicy> filter_{leveldb::NewBloomFilterPolicy(10)};
  GroupCommit<leveldb::WriteBatch> commit_;
  std::unique_ptr<leveldb::DB> db_;
  std::string value_;
};

}  // namespace

const EngineKind kLevelDb{"LevelDB", [](const std::filesystem::path& folder, Durability) -> std::unique_ptr<Engine> {
                            return std::make_unique<LevelDb>(folder);
                          }};

}  // namespace turnlog
