// Output that several threads write at once, block by block, and a sink takes in the order of the blocks.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

#include "turnlog/migrate/export.h"

namespace turnlog {

// Calls the sink from any of the threads, but from one at a time.
class OrderedOutput {
 public:
  explicit OrderedOutput(const ExportSink& sink) : sink_(sink) {}

  // Keeps what is written until the blocks before it have ended, or until it is much: then it waits for them.
  class Block {
   public:
    // Numbers from 0 on, each once. They must be begun in order, or those that are begun could wait for ever.
    Block(OrderedOutput& output, std::size_t number)
        : output_(output), number_(number), has_turn_(output.HasTurn(number)) {}
    ~Block() { End(false); }  // unless it has ended
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    // The sink's error, or kIo if a block before this one has failed.
    Status Write(std::string_view piece);
    // If not `complete`, the blocks after it fail.
    Status End(bool complete);

   private:
    Status AwaitTurn();

    OrderedOutput& output_;
    const std::size_t number_;
    std::string kept_;
    bool has_turn_, ended_ = false;
  };

  bool failed() const;  // some block has

 private:
  bool HasTurn(std::size_t number) const;

  const ExportSink& sink_;
  mutable std::mutex mutex_;
  std::condition_variable turn_changed_;
  std::size_t turn_ = 0;  // the block that writes
  bool failed_ = false;
};

}  // namespace turnlog
