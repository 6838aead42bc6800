// Watermarks that wait to be written with a checkpoint. Any thread may call any member.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/log.h"

namespace turnlog {

class PendingWatermarks {
 public:
  using ByName = std::map<std::string, Watermark, std::less<>>;

  void Set(const std::string& name, const Watermark& watermark);
  // The one that was set last, if it has not been written yet.
  std::optional<Watermark> Find(std::string_view name) const;
  // Of whom there are some, in order, `limit` at most, behind `after`.
  std::vector<std::string> Names(std::string_view after, std::size_t limit) const;
  // About what they take that no checkpoint has begun with.
  std::size_t bytes() const;

  // A checkpoint begins with those that are there. They stay as they are, and are found, until it has written them.
  void Freeze();
  std::shared_ptr<const ByName> frozen() const;
  void Written();

 private:
  mutable std::mutex mutex_;
  ByName live_;
  std::shared_ptr<const ByName> frozen_;
  std::size_t bytes_ = 0;  // of live_
};

}  // namespace turnlog
