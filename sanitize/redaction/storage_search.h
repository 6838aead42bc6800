// Searches everything that an engine has stored for values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sanitize/secrets/secret_matcher.h"
#include "turnlog/storage_visitor.h"

namespace turnlog {

struct StorageFind {
  std::string_view object;
  std::optional<std::uint64_t> offset;  // in the object's bytes
  std::optional<std::uint64_t> entry;   // or the number of the entry, from 1; neither: in the object's name
};

class StorageSearch : public StorageVisitor {
 public:
  using OnFind = std::function<void(const StorageFind&)>;
  using OnProblem = std::function<void(std::string_view object, std::string_view reason)>;

  // `finder` must outlive it.
  StorageSearch(const SecretMatcher& finder, OnFind on_find, OnProblem on_problem)
      : finder_(finder), on_find_(std::move(on_find)), on_problem_(std::move(on_problem)) {}

  // The overlap of pieces with which no value is missed at a border. `longest`: size of the longest value.
  static std::size_t Overlap(std::size_t longest);

  void OnPiece(const StoragePiece& piece) override;
  void OnEntry(std::string_view object, std::string_view key, std::string_view value) override;
  void OnUnreadable(std::string_view object, std::string_view reason) override { on_problem_(object, reason); }
  bool FoundOutsideOfEntries() const override { return found_in_piece_ && !found_in_entry_; }

  std::uint64_t objects() const { return objects_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t entries() const { return entries_; }
  std::uint64_t records() const { return records_; }

 private:
  const SecretMatcher& finder_;
  const OnFind on_find_;
  const OnProblem on_problem_;
  std::optional<std::uint64_t> find_end_;  // of the last find in this object
  bool found_in_piece_ = false, found_in_entry_ = false;
  std::uint64_t objects_ = 0, bytes_ = 0, entries_ = 0, records_ = 0;
};

}  // namespace turnlog
