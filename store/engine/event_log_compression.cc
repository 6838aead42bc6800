// The store's setting of how payloads are stored.
#include "base/try.h"
#include "store/engine/event_log.h"

namespace turnlog {

Status EventLog::SetCompression(Compression compression) {
  TURNLOG_TRY(MustBeWritable());
  const std::scoped_lock lock(checkpoint_mutex_);
  TURNLOG_TRY(MustBeOpen());
  TURNLOG_TRY(WriteCompression(*environment_.files, paths_, identity_, compression));
  compression_ = compression;
  return {};
}

Status SetCompression(Log& log, Compression compression) {
  auto* const of_segments = dynamic_cast<EventLog*>(&log);
  if (of_segments != nullptr) return of_segments->SetCompression(compression);
  return std::unexpected(Error{ErrorCode::kUnsupported, "only a store in a folder has a setting for compression"});
}

}  // namespace turnlog
