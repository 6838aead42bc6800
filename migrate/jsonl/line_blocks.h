// The blocks of a JSON lines file in order, read and parsed on several threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "migrate/jsonl/line_block.h"
#include "migrate/logged/earlier_lines.h"

namespace turnlog {

// Memory: three blocks, and one for each thread.
class LineBlocks {
 public:
  // `threads`: besides the caller's, which takes part while it would have to wait; a file of one block needs none.
  LineBlocks(SourceFile& file, const LinesStart& start, unsigned threads)
      : most_threads_(threads), number_(start.line - 1), pieces_(file, start.offset) {}
  LineBlocks(const LineBlocks&) = delete;
  LineBlocks& operator=(const LineBlocks&) = delete;
  ~LineBlocks();

  // The next block, or null at the end of the file. Valid until the next call, which requires that it has no more
  // lines.
  Result<LineBlock*> Next();

  // After the end: the number of the line after the last one, where that ends, and whether it has its break.
  std::uint64_t next_number() const { return number_ + 1; }
  std::uint64_t end() const { return pieces_.end(); }
  bool has_break() const { return pieces_.has_break(); }

 private:
  struct Slot {
    std::unique_ptr<LineBlock> block;
    bool parsed = false;
  };

  void BeginThreads();
  void Work();
  void ParseNext();
  std::unique_ptr<LineBlock> TakeSpare();
  bool HasRoom() const { return !read_ && slots_.size() < most_threads_ + 2; }
  bool IsReady() const { return !slots_.empty() && slots_.front().parsed; }

  const unsigned most_threads_;
  std::unique_ptr<LineBlock> block_;  // the one that was returned
  std::uint64_t number_;              // of the last line before it

  std::mutex reading_;  // guards pieces_; locked before mutex_
  LinePieces pieces_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Slot> slots_;  // in the order of the file
  std::vector<std::unique_ptr<LineBlock>> spare_;
  bool read_ = false;  // to the end, or as far as possible
  bool stopped_ = false;
  std::vector<std::jthread> threads_;  // the last member: they end before the others do
};

}  // namespace turnlog
