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
  // The last watermark set, if it has not been written yet.
  std::optional<Watermark> Find(std::string_view consumer, std::string_view name) const;
  // The conversations with a watermark of this consumer, in order, greater than `after`, at most `limit`.
  std::vector<std::string> Names(std::string_view consumer, std::string_view after, std::size_t limit) const;
  // Approximate memory of those that no checkpoint has taken yet.
  std::size_t bytes() const;

  // Freezes the watermarks for a checkpoint. They can still be found until the checkpoint has written them.
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
