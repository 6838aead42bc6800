// Counts the presumed secrets of a file's records, beside what else is examined.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "doctor/found_secrets.h"

namespace turnlog {

class SecretCounter {
 public:
  // `apart`: in a thread of its own, of which memory holds a few blocks of records; only if there are enough of them.
  SecretCounter(const SessionSecrets& secrets, const KnownSecrets& known, bool apart)
      : secrets_(secrets), known_(known), apart_(apart) {}
  ~SecretCounter();
  SecretCounter(const SecretCounter&) = delete;
  SecretCounter& operator=(const SecretCounter&) = delete;

  void Count(std::string_view record, std::uint64_t line);
  // Waits for the thread, and adds what was found. Nothing may be counted afterwards.
  void Finish(std::map<std::string, SecretCount>& by_rule);

 private:
  using Counts = std::map<std::string, SecretCount>;

  struct Block {
    struct Record {
      std::size_t size = 0;
      std::uint64_t line = 0;
    };
    std::string bytes;
    std::vector<Record> records;
  };

  void Hand();
  void Work();
  void CountIn(const Block& block, Counts& found) const;
  void Join();

  const SessionSecrets& secrets_;
  const KnownSecrets& known_;
  const bool apart_;
  Block block_;   // not handed over yet
  Counts found_;  // by this thread
  Counts found_apart_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Block> blocks_;
  bool is_last_ = false;
};

}  // namespace turnlog
