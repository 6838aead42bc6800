// Reads one conversation: looks up a few hundred offsets in the index at a time, then reads adjacent records together.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "log/read_range.h"
#include "store/erasure/replacement_reader.h"
#include "store/index/index.h"
#include "store/segments/frame_scanner.h"
#include "store/segments/payload_codec.h"
#include "store/segments/segment_set.h"
#include "turnlog/log.h"

namespace turnlog {

class ConversationCursor : public Cursor {
 public:
  ConversationCursor(std::shared_ptr<Index> index, std::shared_ptr<SegmentSet> segments, StatePtr state,
                     ReadRange range, bool backward);

  Result<Item> Next() override;

 private:
  Status LoadRefs();
  Result<Item> At(std::uint64_t seq);
  // The record of a frame that holds an event's contents.
  Result<Item> Show(const FrameRef& ref, const Frame& frame);
  Result<Item> WhereErased(const FrameRef& ref, const Frame& erased);
  // Null if there is no valid frame. Valid until the next call.
  Result<const Frame*> FrameAt(const FrameRef& ref, std::uint64_t seq);
  // Bytes of the record, from the window or a new read.
  Result<std::string_view> Bytes(const FrameRef& ref, std::uint64_t seq);
  Result<bool> IsInside(const FrameRef& ref) const;
  ReadRange Neighbours(std::uint64_t seq) const;
  Damage Missing(const FrameRef& ref, std::uint64_t seq, std::string reason) const;

  const std::shared_ptr<Index> index_;
  const std::shared_ptr<SegmentSet> segments_;
  const StatePtr state_;
  const bool backward_;
  ReadRange left_;  // not returned yet

  std::uint64_t first_ref_ = 0;  // seq of refs_[0]
  std::vector<FrameRef> refs_;
  std::shared_ptr<OpenSegment> segment_;
  AlignedBuffer buffer_;
  std::uint64_t window_begin_ = 0;  // position of window_
  std::string_view window_;
  std::optional<Frame> frame_;  // the last one found
  Tombstone erased_;            // its contents, if it is being erased
  ReplacementReader replacements_;
  PayloadUnpacker unpacker_;
};

}  // namespace turnlog
