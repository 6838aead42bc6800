// Keeps what a reader returns, so that a source that fits into memory is parsed only once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/sources/source_reader.h"

namespace turnlog {

class KeptItems {
 public:
  // Keeps items in up to about `limit` bytes. `source_bytes`: that are going to be read, if that is known.
  explicit KeptItems(std::size_t limit, std::uint64_t source_bytes = 0) : limit_(limit), source_bytes_(source_bytes) {}

  // Takes the contents of the item.
  void Keep(SourceItem& item);
  // Whether all items were kept.
  bool all() const { return !too_many_; }
  // Returns the kept items, without what only a survey needs. Once; must not outlive this object. Who takes an event
  // from an item keeps the block that it is in.
  std::unique_ptr<SourceReader> Replay();

 private:
  class Reader;

  // What an item begins with in its block, as numbers of variable length. What it has is in `flags`. Its payload
  // follows at kPayloadAlignment, and after that the name of its conversation.
  struct Head {
    std::uint64_t flags = 0;
    EventKind kind{};
    std::uint64_t payload_size = 0, name_size = 0;
    std::uint64_t size = 0;  // in the source
    std::uint64_t file = 0;  // in files_
    std::uint64_t seq = 0, line = 0, byte = 0, element = 0;
    std::uint64_t remarks = 0;  // in remarks_
    std::uint64_t large = 0;    // in large_, instead of a payload

    // Calls `visit` for each number that belongs to these flags, in their order.
    template <class Visit>
    void ForEachNumber(Visit visit);
  };
  struct Block {
    std::shared_ptr<char[]> bytes;
    std::size_t capacity = 0, used = 0;
  };

  void KeepEvent(SourceEvent& item);
  void Add(Head head, std::string_view name, std::string_view payload);
  Block& RoomFor(std::size_t size);
  bool WillBeTooMany() const;
  void GiveUp();

  const std::size_t limit_;
  const std::uint64_t source_bytes_;
  std::uint64_t source_bytes_read_ = 0;
  std::size_t bytes_ = 0, used_ = 0;  // of memory
  bool too_many_ = false;
  std::deque<Block> blocks_;  // the items, one after another
  std::vector<std::string_view> files_;
  std::string last_name_;  // in the last block
  std::deque<SourceRemarks> remarks_;
  std::deque<HeldEvent> large_;
};

}  // namespace turnlog
