// Follows the log frame by frame, in the order of the segments.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "store/erasure/replacement_reader.h"
#include "store/segments/frame_scanner.h"
#include "store/segments/payload_codec.h"
#include "store/segments/segment_position.h"
#include "turnlog/log.h"

namespace turnlog {

class EventLog;

class LogTail : public Tail {
 public:
  // The log must outlive the tail. kConflict: `from` is not, or no longer, a position of this log.
  static Result<std::unique_ptr<Tail>> Open(EventLog& log, const SegmentPosition& from,
                                            std::optional<std::string> conversation);

  Result<Item> Next() override;
  Result<bool> Wait(std::chrono::milliseconds timeout) override;
  Position position() const override;

 private:
  LogTail(EventLog& log, const SegmentPosition& from, std::optional<std::string> conversation);
  Status Resume();
  Result<const std::string*> NameOf(std::uint32_t number);
  const std::string* KeepName(std::uint32_t number, std::string name);
  Damage DamageOf(const Frame& frame, const std::string& name, std::string reason) const;
  // The event's current contents, as an item of conversation `name`.
  Result<Item> Show(const Frame& frame, const std::string& name);

  EventLog& log_;
  const FrameCodec codec_;
  const std::optional<std::string> conversation_;
  FrameScanner scanner_;
  ReplacementReader replacements_;
  PayloadUnpacker unpacker_;
  const SegmentPosition from_;
  std::optional<Frame> last_;  // the last one returned or skipped, without its payload
  std::unordered_map<std::uint32_t, std::string> names_;
  const std::string* name_ = nullptr;  // of conversation named_, in names_
  std::uint32_t named_ = 0;
};

}  // namespace turnlog
