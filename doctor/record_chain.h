// The chain of a Claude Code session: each record names its parent, and a session is loaded by walking from its last
// record to the first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/hash.h"
#include "base/hash_map.h"
#include "doctor/diagnosis.h"

namespace turnlog {

class RecordChain {
 public:
  explicit RecordChain(Diagnosis& diagnosis) : diagnosis_(diagnosis) {}

  enum class Sighting : std::uint8_t {
    kFirst,
    kCopy,   // the same record again
    kOther,  // another record with the same id
  };
  // REQUIRES: the record has a `uuid`.
  Sighting See(const SessionRecord& record);
  // Its children get its parent. REQUIRES: it was seen.
  void Remove(const SessionRecord& record);
  // A record that gets the parent `before`, because its own one is missing.
  struct Relink {
    std::string before;                // as JSON
    std::uint64_t begin = 0, end = 0;  // of the parent's id
  };
  std::vector<Relink> FindRelinks();
  // Finds parents that are missing.
  void Finish();

 private:
  // A parent that was not seen before its child.
  struct Missing {
    FindingLocation location;
    std::uint64_t begin = 0, end = 0;  // of the parent's id
    Hash128 parent;
    std::string before;  // the id of the record before the child; empty: it must stay as it is
    bool is_first = false;
  };

  bool IsBroken(const Missing& missing);
  void CheckParent(const SessionRecord& record, Hash128 id, bool sidechain);

  Diagnosis& diagnosis_;
  HashMap<std::uint64_t> records_;  // hashes of their bytes, by id
  std::vector<Missing> missing_;
  std::unordered_set<Hash128> awaited_;
  std::unordered_map<Hash128, std::string> removed_;  // with their parents, as JSON
  std::string last_[2];                               // the id of the last record: of the session, of sidechains
};

}  // namespace turnlog
