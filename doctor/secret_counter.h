// Counts the presumed secrets of a file's records, beside what else is examined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/work_beside.h"
#include "doctor/found_secrets.h"

namespace turnlog {

class SecretCounter {
 public:
  // `apart`: in a thread of its own, which the caller's helps; only if there are enough records.
  SecretCounter(const SessionSecrets& secrets, const KnownSecrets& known, bool apart)
      : secrets_(secrets), known_(known), is_apart_(apart) {}

  void Count(std::string_view record, std::uint64_t line);
  // Adds what was found. Nothing may be counted afterwards.
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

  void CountIn(Block& block, Counts& found) const;

  const SessionSecrets& secrets_;
  const KnownSecrets& known_;
  const bool is_apart_;
  std::unique_ptr<Block> filling_;
  Counts found_, found_apart_;  // on the caller's thread, on the other one
  WorkBeside<Block> apart_{[this](Block& block) { CountIn(block, found_apart_); }};
};

}  // namespace turnlog
