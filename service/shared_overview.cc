#include "service/shared_overview.h"

#include <utility>

#include "base/try.h"
#include "service/call.h"

namespace turnlog {

Result<std::shared_ptr<const std::string>> SharedOverview::NotBefore(Clock::time_point moment) {
  const std::scoped_lock lock(mutex_);
  if (text_ == nullptr || begun_ < moment) {
    const auto begin = Clock::now();
    text_ = std::make_shared<const std::string>(TURNLOG_TRY(overview_.ToJson(TimeNow())));
    begun_ = begin;
  }
  return text_;
}

}  // namespace turnlog
