// Pairs the calls and results of a session by their ids, wherever they are.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "doctor/diagnosis.h"

namespace turnlog {

// A call without a result.
struct CallWithoutResult {
  std::string id;  // the one that it has after the edits
  FindingLocation location;
  std::size_t record;   // what the caller has given
  bool passed = false;  // the conversation went on without the result
};

class CallPairs {
 public:
  struct Match {
    enum class Kind : std::uint8_t { kAnswer, kRepeated, kStray } kind{};
    std::string id;          // kAnswer: of the call, after the edits
    std::size_t record = 0;  // kAnswer: of the call
    bool renamed = false;
  };

  // Returns the id that the call must have: another one if an earlier call has it. `owner`: of the record, 0 if it has
  // none.
  std::string AddCall(std::string_view id, FindingLocation location, std::size_t record, std::uint64_t owner);
  // `owner`: of the record that the result says it answers; 0 if it does not say.
  Match AddResult(std::string_view id, std::uint64_t owner);
  // The result of AddResult is a stray one unless its call comes later. `on_stray` is called by Finish.
  void DeferStray(std::string_view id, std::function<void()> on_stray);
  // What follows is another request.
  void PassCalls();
  // What follows is sent without what was before.
  void Forget();
  // Calls what was deferred, and returns the calls without a result, in order.
  std::vector<CallWithoutResult> Finish();

 private:
  struct Attempt {
    std::size_t call = 0;  // of calls_
    std::uint64_t owner = 0;
    std::uint32_t epoch = 0;
    bool answered = false;
  };
  struct Known {
    std::vector<Attempt> attempts;
    std::vector<std::size_t> strays;  // of strays_
  };
  struct Stray {
    std::uint32_t epoch = 0;
    std::function<void()> on_stray;
  };

  Attempt* FindAttempt(Known& known, std::uint64_t owner);

  std::unordered_map<Hash128, Known> known_;
  std::map<std::size_t, std::pair<CallWithoutResult, std::uint64_t>> open_;  // with the request that they were made in
  std::vector<Stray> strays_;
  std::size_t calls_ = 0;
  std::uint64_t request_ = 0;
  std::uint32_t epoch_ = 0;
};

}  // namespace turnlog
