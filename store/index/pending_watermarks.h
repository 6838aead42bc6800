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
  using ByName = std::map<std::string, Watermark, std::less<>>;  // of one consumer
  using ByConsumer = std::map<std::string, ByName, std::less<>>;

  void Set(std::string_view consumer, const std::string& name, const Watermark& watermark);
  // The one that was set last, if it has not been written yet.
  std::optional<Watermark> Find(std::string_view consumer, std::string_view name) const;
  // The conversations that have one of this consumer, in order, those after `after`, `limit` at most.
  std::vector<std::string> Names(std::string_view consumer, std::string_view after, std::size_t limit) const;
  // About what they take that no checkpoint has begun with.
  std::size_t bytes() const;

  // A checkpoint begins with those that are there. They stay as they are, and are found, until it has written them.
  void Freeze();
  std::shared_ptr<const ByConsumer> frozen() const;
  void Written();

 private:
  mutable std::mutex mutex_;
  ByConsumer live_;
  std::shared_ptr<const ByConsumer> frozen_;
  std::size_t bytes_ = 0;  // of live_
};

}  // namespace turnlog
