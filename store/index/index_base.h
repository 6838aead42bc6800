// The index on disk: sorted keys and values in RocksDB, changed only by checkpoints. The one place that knows RocksDB.
// Any thread may call any member.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/engine/environment.h"
#include "turnlog/result.h"

namespace turnlog {

// What a checkpoint changes; applied as one. No key twice. In order of the keys it costs a third less.
struct IndexBatch {
  std::vector<std::pair<std::string, std::string>> puts;
  std::vector<std::pair<std::string, std::string>> appends;  // behind the value that the key has, if any
  std::vector<std::string> removes;
};

// An iterator; REQUIRES Valid() for key, value and Next. When it is not valid, status() tells end from failure.
class IndexWalk {
 public:
  virtual ~IndexWalk() = default;
  virtual bool Valid() const = 0;
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
  virtual void Next() = 0;
  virtual Status status() const = 0;
};

class IndexBase {
 public:
  enum class Access { kRead, kWrite, kCreate };

  // kRead works beside a writer and sees its last checkpoint. kCreate wants nothing to be there. kNotFound: there is
  // no index, or an unfinished one; kCorruption: it is damaged, or no version of ours wrote it; any other error says
  // nothing about the index.
  static Result<std::unique_ptr<IndexBase>> Open(const std::filesystem::path& folder, Access access,
                                                 const Environment& environment);
  // An empty one on the side, in temporary files that go with it, however the process ends.
  static Result<std::unique_ptr<IndexBase>> MakeScratch();
  // Nobody may have the index open. Fine if there is none. Stopped on the way, it leaves none that can be opened.
  static Status Remove(const std::filesystem::path& folder, const Environment& environment);
  // `fresh`, a complete index that nobody has open, takes the place of the one at `folder`, which goes to `aside` until
  // then and is removed from there. Stopped on the way, either of them is at `folder`, or none.
  static Status Replace(const std::filesystem::path& folder, const std::filesystem::path& fresh,
                        const std::filesystem::path& aside, const Environment& environment);
  virtual ~IndexBase() = default;

  virtual Result<std::optional<std::string>> Get(std::string_view key) const = 0;
  // Up to `limit` entries from `from` on whose keys begin with `prefix`.
  virtual Result<std::vector<std::pair<std::string, std::string>>> Range(std::string_view from, std::string_view prefix,
                                                                         std::size_t limit) const = 0;
  // Durable when it returns.
  virtual Status Apply(const IndexBatch& batch) = 0;
  virtual Status VerifyChecksums() const = 0;
  virtual std::uint64_t BytesOnDisk() const = 0;

  // Goes through all entries in order of their keys.
  virtual std::unique_ptr<IndexWalk> Walk() const = 0;
};

}  // namespace turnlog
