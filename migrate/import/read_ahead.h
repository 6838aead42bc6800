// Reads a source on a thread of its own, while its last items are at work.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "migrate/sources/source_reader.h"

namespace turnlog {

// A source that ends with the first batch needs no thread. Memory: up to ten batches, which are of some hundred KiB or
// one item each.
class ReadAhead final : public SourceReader {
 public:
  // Nothing else may use `reader`, or the source that it reads, until this is destroyed.
  explicit ReadAhead(std::unique_ptr<SourceReader> reader);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead() override;

  Result<SourceItem> Next() override;

 private:
  class Batch;

  void Advance();
  void Work();
  std::unique_ptr<Batch> TakeFree();

  const std::unique_ptr<SourceReader> reader_;
  std::unique_ptr<Batch> batch_;  // whose items are being returned

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Batch>> ready_;  // read, and not yet returned
  std::vector<std::unique_ptr<Batch>> free_;  // to be filled again
  bool stopped_ = false;
  std::jthread thread_;  // the last member: it ends before the others do
};

}  // namespace turnlog
