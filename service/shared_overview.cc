#include "service/shared_overview.h"

#include <utility>

#include "base/secret_string.h"
#include "base/try.h"
#include "service/call.h"

namespace turnlog {
namespace {

std::shared_ptr<const std::string> Wiped(std::string text) {
  const auto wipe = [](std::string* held) { Wipe(*held), delete held; };
  return {std::make_unique<std::string>(std::move(text)).release(), wipe};
}

}  // namespace

Result<std::shared_ptr<const std::string>> SharedOverview::NotBefore(Clock::time_point moment) {
  const std::scoped_lock lock(mutex_);
  if (text_ == nullptr || begun_ < moment) {
    const auto begin = Clock::now();
    text_ = Wiped(TURNLOG_TRY(overview_.ToJson(TimeNow())));
    begun_ = begin;
  }
  return text_;
}

void SharedOverview::Forget() {
  const std::scoped_lock lock(mutex_);
  text_ = nullptr;
}

}  // namespace turnlog
