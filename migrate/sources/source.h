// A source: a file, or a folder whose files belong together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "migrate/sources/byte_source.h"
#include "migrate/sources/descriptor.h"
#include "migrate/sources/file_stamp.h"
#include "migrate/sources/prefix_digest.h"
#include "turnlog/types.h"

namespace turnlog {

// A file of a source. It is opened once, and all reads end at the same size, even if the file grows
// meanwhile.
class SourceFile {
 public:
  // `named`: by the user; then it may be a link or a pipe. A file found in a folder must be regular.
  SourceFile(std::filesystem::path path, bool named)
      : name_(path.filename().string()), path_(std::move(path)), named_(named) {}
  SourceFile(std::string name, std::shared_ptr<ByteSource> bytes)
      : name_(name), path_(std::move(name)), is_in_memory_(true), bytes_(std::move(bytes)) {}

  // One that is open already, and may have no name any more.
  SourceFile(std::string name, std::shared_ptr<Descriptor> open)
      : name_(std::move(name)), path_(open->path()), open_(std::move(open)) {}

  // A file in a folder below that of its source; `name` is relative to it.
  SourceFile(std::string name, std::filesystem::path path) : name_(std::move(name)), path_(std::move(path)) {}

  const std::string& name() const { return name_; }
  const std::filesystem::path& path() const { return path_; }

  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out);
  // What the file system says of it; nothing if it is not one of its files.
  Result<std::optional<FileStamp>> Stamp() const;
  // False: it is in memory, or open and another file or none has the name now.
  bool HasItsName() const;
  // Of the bytes from the beginning that were read in order, each once.
  const PrefixDigest& digest() const { return digest_; }
  // The digest goes on from here, as if the bytes before were read.
  void ContinueDigest(PrefixDigest digest) { digest_ = std::move(digest); }
  // Reads what the digest does not yet have of the first `bytes`.
  Status DigestUpTo(std::uint64_t bytes);
  std::uint64_t bytes_read() const { return bytes_read_; }
  // REQUIRES: some of it was read.
  bool is_raw() const { return bytes_->is_raw(); }
  // Why what was read ends early; empty: it does not, or its end was not read.
  std::string damage() const { return bytes_ ? bytes_->damage() : std::string(); }
  // A source with very many files cannot have all of them open: each read then opens this one again.
  void CloseAfterReads(bool close) { close_after_reads_ = close; }
  // That its last line has no end yet is no damage, however long it is.
  void SetBeingWritten(bool being_written) { being_written_ = being_written; }
  bool being_written() const { return being_written_; }
  // Forgets what was read: reads are of the file that has the name now, up to the end that it has then.
  // REQUIRES: it is no pipe.
  void Reopen();
  // Its size, without reading all of it; all reads end there.
  Result<std::uint64_t> FindSize();
  // 0 until all of it was read.
  std::uint64_t size() const { return end_ == UINT64_MAX ? 0 : end_; }
  // Up to `bytes` first bytes.
  Result<std::string> Head(std::size_t bytes);
  // The whole file; an error if it is larger than an event can be.
  Result<std::string> ReadAll();

 private:
  Status Open();

  std::string name_;
  std::filesystem::path path_;
  bool named_ = false, is_in_memory_ = false;
  std::shared_ptr<Descriptor> open_;
  std::shared_ptr<ByteSource> bytes_;
  PrefixDigest digest_;
  std::uint64_t bytes_read_ = 0;
  bool close_after_reads_ = false, being_written_ = false;
  std::uint64_t end_ = UINT64_MAX;
};

struct Source {
  std::filesystem::path path;
  std::string name;               // of the file or folder
  std::string folder;             // name of the folder around it
  std::vector<SourceFile> files;  // in order of their names; a file with companions comes first
  // The only one, while it is examined whether its file has only grown since it was imported; empty: not known.
  std::string conversation{};
  std::string earlier{};  // the only one that it had when it was last imported, by any version; empty: not known
  // Further paths on which it depends what files it has: of files that are not there, and of folders that were listed.
  std::vector<std::filesystem::path> around{};
  bool format_given = false;  // by the user

  SourceFile* Find(std::string_view file);
};

// The last component of a path, also for "." and "conversation/".
std::string NameOf(const std::filesystem::path& path);

// A hash of the whole source, to skip sources that have not changed.
Result<std::string> Fingerprint(Source& source);

}  // namespace turnlog
