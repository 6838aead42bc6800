// The index on disk: sorted keys and values in RocksDB, changed only by checkpoints. Hides RocksDB from the other
// components. Any thread may call any member.
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
#include "store/index/index_batch.h"
#include "turnlog/result.h"

namespace turnlog {

// An iterator; REQUIRES Valid() for key, value and Next. If it is not valid, status() distinguishes the end from a
// failure.
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
  enum class Access { kRead, kWrite, kCreate, kCreateToReplace };

  // kRead works beside a writer and sees its last checkpoint. The last two require that no index exists;
  // kCreateToReplace is for ReplaceBy. kNotFound: there is no index, or an unfinished one; kCorruption: it is damaged,
  // or turnlog did not write it; any other error says nothing about the index.
  static Result<std::unique_ptr<IndexBase>> Open(const std::filesystem::path& folder, Access access,
                                                 const Environment& environment);
  // An empty temporary index. Its files disappear with it, however the process ends.
  static Result<std::unique_ptr<IndexBase>> MakeScratch();
  // REQUIRES: the index is not open. Succeeds if there is none. After an interruption there is no index that can be
  // opened.
  static Status Remove(const std::filesystem::path& folder, const Environment& environment);
  // Replaces the index at `folder` by `fresh`, a complete index that is not open. The old one is moved to `aside` and
  // removed afterwards. After an interruption `folder` holds either index, or none.
  static Status Replace(const std::filesystem::path& folder, const std::filesystem::path& fresh,
                        const std::filesystem::path& aside, const Environment& environment);
  // Puts an index that Replace was about to replace when the process was killed back into its folder.
  static Status Restore(const std::filesystem::path& folder, const std::filesystem::path& aside,
                        const Environment& environment);
  virtual ~IndexBase() = default;

  // Moves `rebuilt` into this index's folder, and exchanges the two: this is then the rebuilt one, and `rebuilt` the
  // old one, in the folder `aside`. Waits for the calls of other threads, which see one or the other. Both must have
  // been opened by their folders, for writing, and `rebuilt` with kCreateToReplace. After an error nothing has changed;
  // after an interruption the folder holds either index, or none.
  virtual Status ReplaceBy(IndexBase& rebuilt, const std::filesystem::path& aside) = 0;

  // kAbsent: there is hardly such a key, so that what was read to find out is not kept in the cache.
  enum class Expect { kPresent, kAbsent };
  virtual Result<std::optional<std::string>> Get(std::string_view key, Expect expect = Expect::kPresent) const = 0;
  // Up to `limit` entries from `from` on whose keys begin with `prefix`.
  virtual Result<std::vector<std::pair<std::string, std::string>>> Range(std::string_view from, std::string_view prefix,
                                                                         std::size_t limit) const = 0;
  // All changes or none; durable when it returns, unless the index is temporary.
  virtual Status Apply(const IndexBatch& batch) = 0;
  virtual Status VerifyChecksums() const = 0;
  virtual std::uint64_t BytesOnDisk() const = 0;

  // Iterates in key order over the entries from `from` on, and before `to` if it is not empty. kNeedsReopen: see Close.
  virtual Result<std::unique_ptr<IndexWalk>> Walk(std::string_view from = {}, std::string_view to = {}) const = 0;

  // Waits for the calls of other threads, and for the walks, and closes the files. Later calls fail with kNeedsReopen.
  virtual void Close() = 0;
};

}  // namespace turnlog
