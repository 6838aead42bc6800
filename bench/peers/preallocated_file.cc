// The limit of what a disk gives to durable appends: the bytes of the raw file, written over a file that has its size
// and its blocks already, so that a sync has nothing to do but to write them. It begins again at its end, and cannot be
// read.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "bench/engine.h"
#include "bench/peers/group_commit.h"
#include "bench/peers/raw_record.h"

namespace turnlog {
namespace {

constexpr std::size_t kFileBytes = std::size_t{64} << 20;  // as a segment of turnlog
constexpr std::size_t kPiece = std::size_t{1} << 20;

class PreallocatedFile : public Engine {
 public:
  explicit PreallocatedFile(const std::filesystem::path& folder)
      : fd_(::open((folder / "events.log").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)),
        commit_([this](std::string& bytes, bool sync) { Write(bytes, sync); }) {
    if (fd_ < 0) Fail("cannot open a file in " + folder.string());
    const std::string piece(kPiece, 'x');
    for (std::size_t at = 0; at < kFileBytes; at += kPiece) Put(piece);
    if (::fsync(fd_) != 0) Fail("cannot sync");
  }
  ~PreallocatedFile() override { ::close(fd_); }

  std::uint64_t AppendLater(const Batch& batch) override {
    return commit_.Add([&](std::string& out) { AppendRaw(batch, out); });
  }
  void Wait(std::uint64_t ticket, Durability durability) override { commit_.Wait(ticket, durability); }
  void Settle() override { Sync(); }

 private:
  void Write(std::string& bytes, bool sync) {
    for (std::string_view rest = bytes; !rest.empty();) {
      const std::size_t part = std::min(rest.size(), kFileBytes - offset_);
      Put(rest.substr(0, part));
      rest.remove_prefix(part);
    }
    bytes.clear();
    if (sync) Sync();
  }

  // REQUIRES: it ends before the end of the file.
  void Put(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset_));
      if (n < 0) Fail("cannot write");
      offset_ += static_cast<std::size_t>(n);
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    if (offset_ == kFileBytes) offset_ = 0;
  }

  void Sync() {
    if (::fdatasync(fd_) != 0) Fail("cannot sync");
  }

  const int fd_;
  std::size_t offset_ = 0;
  GroupCommit<std::string> commit_;
};

}  // namespace

const EngineKind kPreallocatedFile{"preallocated file",
                                   [](const std::filesystem::path& folder, Durability) -> std::unique_ptr<Engine> {
                                     return std::make_unique<PreallocatedFile>(folder);
                                   }};

}  // namespace turnlog
