// The interrupts of LangGraph as inquiries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/event.h"

namespace turnlog {

// The questions of one write; `task`: that made it, for interrupts without ids. All interrupts of a task have one id:
// `attempt` tells them apart.
std::vector<InquiryRequest> ReadInterrupts(std::string_view value, std::string_view task, std::uint32_t attempt);
// Another question of the same task. REQUIRES: the id has a key.
std::optional<InquiryRequest> OfAttempt(InquiryRequest asked, std::uint32_t attempt);

// `answer`: what the graph was resumed with.
InquiryResponse AnswerInterrupt(const InquiryRequest& asked, std::string_view answer);

// Whether the result of a call says that it was rejected in a review, and why. REQUIRES: the result is an error.
std::optional<Denial> ReadRejection(std::string_view result, std::string_view tool);

// The task of what is written for the thread: the value of a resume that names no task.
inline constexpr std::string_view kNullTask = "00000000-0000-0000-0000-000000000000";

struct TaskWrite {
  std::string_view task, channel;
  std::int64_t index = 0;   // negative in the special channels
  std::size_t answers = 0;  // in the list that a task has written to __resume__
};

// What the writes after a checkpoint show of the tasks that were interrupted there. A task that is resumed runs again
// from its beginning: its earlier answers are in a list, and its next question replaces the one before.
class InterruptedTasks {
 public:
  void Clear() { tasks_.clear(); }
  // Of one checkpoint, in the order of their rows.
  void Add(const TaskWrite& write);
  // How many questions the task had asked, and got answers to, before the one that is written.
  std::size_t AskedBefore(std::string_view task) const;

 private:
  struct Task {
    std::size_t answers = 0;
    bool resumed_before_list = false, resumed_after_list = false;  // by the thread, since the question
    std::optional<std::int64_t> done;                              // index of the first write that is no special one
  };

  void Resume();

  std::map<std::string, Task, std::less<>> tasks_;
};

}  // namespace turnlog
