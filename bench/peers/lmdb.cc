// Each event is a key and a value in LMDB, a B+tree in one mapped file. One committer puts everything pending into one
// transaction; an inquiry is one more key in it.
#include <lmdb.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/peers/group_commit.h"
#include "bench/peers/keys.h"
#include "bench/peers/payload.h"

namespace turnlog {
namespace {

constexpr std::size_t kMapBytes = std::size_t{64} << 30;  // of addresses; the file grows as needed

void Check(int code) {
  if (code != MDB_SUCCESS) Fail(mdb_strerror(code));
}

MDB_val ToValue(std::string_view bytes) {
  return {bytes.size(), const_cast<char*>(bytes.data())};  // NOLINT(cppcoreguidelines-pro-type-const-cast): not written
}

std::string_view ViewOf(const MDB_val& value) { return {static_cast<const char*>(value.mv_data), value.mv_size}; }

// A snapshot for one read.
class Snapshot {
 public:
  explicit Snapshot(MDB_txn* renewed) : txn_(renewed) { Check(mdb_txn_renew(txn_)); }
  ~Snapshot() { mdb_txn_reset(txn_); }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  MDB_txn* txn() const { return txn_; }

 private:
  MDB_txn* const txn_;
};

class Lmdb : public PayloadEngine<Lmdb> {
 public:
  // Without MDB_NOSYNC every transaction is durable.
  Lmdb(const std::filesystem::path& folder, Durability durability)
      : commit_([this](Changes& changes, bool) { Write(changes); }) {
    Check(mdb_env_create(&env_));
    Check(mdb_env_set_mapsize(env_, kMapBytes));
    Check(mdb_env_open(env_, folder.c_str(), MDB_NOTLS | (durability == Durability::kSync ? 0U : MDB_NOSYNC), 0600));
    MDB_txn* txn = nullptr;
    Check(mdb_txn_begin(env_, nullptr, 0, &txn));
    Check(mdb_dbi_open(txn, nullptr, 0, &dbi_));
    Check(mdb_txn_commit(txn));
    Check(mdb_txn_begin(env_, nullptr, MDB_RDONLY, &read_));
    mdb_txn_reset(read_);
  }
  ~Lmdb() override {
    mdb_txn_abort(read_);
    mdb_env_close(env_);
  }

  std::uint64_t AppendLater(const Batch& batch) override {
    return commit_.Add([&](Changes& changes) {
      std::uint64_t seq = batch.first_seq;
      for (const std::string& payload : batch.payloads) {
        changes.emplace_back(EventKeyOf(batch.conversation, seq++), payload);
      }
      ForEachInquiry(batch, [&](const Hash128& id, std::uint64_t at) {
        changes.emplace_back(InquiryKeyOf(batch.conversation, id), InquiryValueOf(at));
      });
    });
  }
  void Wait(std::uint64_t ticket, Durability durability) override { commit_.Wait(ticket, durability); }
  void Settle() override { Check(mdb_env_sync(env_, 1)); }

  Seen ReadAll(Depth depth) override { return Read(kEventPrefix, depth); }
  Seen ReadConversation(std::uint32_t conversation) override {
    return Read(EventPrefixOf(conversation), Depth::kRecord);
  }

  Seen ReadOne(std::uint32_t conversation, std::uint64_t seq) override {
    const Snapshot snapshot(read_);
    Seen seen;
    See(Get(snapshot, EventKeyOf(conversation, seq)), Depth::kRecord, seen);
    return seen;
  }

  Seen ReadInquiry(std::uint32_t conversation, std::string_view id) override {
    const Snapshot snapshot(read_);
    Seen seen;
    const std::string_view seq = Get(snapshot, InquiryKeyOf(conversation, HashId(id, 0)));
    See(Get(snapshot, EventKeyOf(conversation, Decoder{seq}.Varint())), Depth::kRecord, seen);
    return seen;
  }

 private:
  friend class PayloadEngine<Lmdb>;
  using Changes = std::vector<std::pair<std::string, std::string>>;
  struct CloseCursor {
    void operator()(MDB_cursor* cursor) const { mdb_cursor_close(cursor); }
  };
  using CursorPtr = std::unique_ptr<MDB_cursor, CloseCursor>;

  void Write(Changes& changes) {
    MDB_txn* txn = nullptr;
    Check(mdb_txn_begin(env_, nullptr, 0, &txn));
    for (const auto& [name, bytes] : changes) {
      MDB_val key = ToValue(name), value = ToValue(bytes);
      Check(mdb_put(txn, dbi_, &key, &value, 0));
    }
    Check(mdb_txn_commit(txn));
    changes.clear();
  }

  // LMDB has no checksums: hash the data read, as a comparison with a checksum would.
  void See(std::string_view payload, Depth depth, Seen& seen) {
    seen.check += Hash64(payload);
    payload_.See(payload, depth, seen);
  }

  std::string_view Get(const Snapshot& snapshot, const std::string& name) const {
    MDB_val key = ToValue(name), value;
    Check(mdb_get(snapshot.txn(), dbi_, &key, &value));
    return ViewOf(value);
  }

  CursorPtr OpenCursor(const Snapshot& snapshot) const {
    MDB_cursor* cursor = nullptr;
    Check(mdb_cursor_open(snapshot.txn(), dbi_, &cursor));
    return CursorPtr(cursor);
  }

  Seen Read(const std::string& prefix, Depth depth) {
    const Snapshot snapshot(read_);
    const CursorPtr cursor = OpenCursor(snapshot);
    Seen seen;
    MDB_val key = ToValue(prefix), value;
    for (int code = mdb_cursor_get(cursor.get(), &key, &value, MDB_SET_RANGE);
         code == MDB_SUCCESS && ViewOf(key).starts_with(prefix);
         code = mdb_cursor_get(cursor.get(), &key, &value, MDB_NEXT)) {
      See(ViewOf(value), depth, seen);
    }
    return seen;
  }

  template <class TakeFn>
  void ReadBackward(std::uint32_t conversation, TakeFn take) {
    const Snapshot snapshot(read_);
    const CursorPtr cursor = OpenCursor(snapshot);
    const std::string prefix = EventPrefixOf(conversation), after = EventKeyOf(conversation, UINT64_MAX);
    MDB_val key = ToValue(after), value;
    const bool beyond = mdb_cursor_get(cursor.get(), &key, &value, MDB_SET_RANGE) == MDB_SUCCESS;
    for (int code = mdb_cursor_get(cursor.get(), &key, &value, beyond ? MDB_PREV : MDB_LAST);
         code == MDB_SUCCESS && ViewOf(key).starts_with(prefix) && take(ViewOf(value));
         code = mdb_cursor_get(cursor.get(), &key, &value, MDB_PREV)) {
    }
  }

  GroupCommit<Changes> commit_;
  MDB_env* env_ = nullptr;
  MDB_dbi dbi_ = 0;
  MDB_txn* read_ = nullptr;
};

}  // namespace

const EngineKind kLmdb{"LMDB",
                       [](const std::filesystem::path& folder, Durability durability) -> std::unique_ptr<Engine> {
                         return std::make_unique<Lmdb>(folder, durability);
                       }};

}  // namespace turnlog
