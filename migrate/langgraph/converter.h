// What the checkpoints and writes of a LangGraph thread mean. docs/formats/langgraph.md has the rules.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "migrate/langgraph/interrupt.h"
#include "migrate/langgraph/message.h"
#include "migrate/langgraph/message_channels.h"
#include "migrate/langgraph/shown_messages.h"
#include "migrate/records/record_source.h"
#include "migrate/records/turn_tracker.h"

namespace turnlog {

inline constexpr std::string_view kLangGraph = "langgraph";

// What a thread has after one of its checkpoints.
class LaterCheckpoints {
 public:
  virtual ~LaterCheckpoints() = default;
  // Whether there is one.
  virtual bool Any(std::string_view checkpoint) const = 0;
  // Of the channel, in the first one that shows it.
  virtual std::optional<ChannelKind> KindOf(std::string_view checkpoint, const std::string& channel) const = 0;
};

// What a thread's rows mean as they come: the events of one depend on those before it, because it keeps them when
// others follow. What follows is asked only for what no row so far can say.
class LangGraphConverter final : public RecordConverter {
 public:
  // `tasks`: the interrupted ones of the checkpoint whose writes are converted. `later`: null if nothing is known.
  explicit LangGraphConverter(std::shared_ptr<const InterruptedTasks> tasks,
                              std::unique_ptr<const LaterCheckpoints> later = nullptr)
      : tasks_(std::move(tasks)), later_(std::move(later)) {}

  RecordHead Head(const JsonObject& record) const override;
  void Convert(const JsonObject& record, RecordEvents& events) override;

 private:
  // The last ones of a task.
  struct Questions {
    std::vector<InquiryRequest> requests;
    bool closed = false;  // answered, or the task is done
  };

  // The checkpoint whose writes follow.
  struct Current {
    std::string id;
    std::optional<Timestamp> time;
    bool begins = false;         // what the thread was started with is not in its channels yet
    bool has_unapplied = false;  // messages were written that the next checkpoint has
  };

  void Checkpoint(const JsonObject& record, RecordEvents& events);
  void NoteFork(const JsonObject& record, RecordEvents& events);
  void Update(const std::vector<MessageList>& state, RecordEvents& events);
  void Message(const LangMessage& message, RecordEvents& events);
  bool Human(const LangMessage& message, RecordEvents& events);
  void Ai(const LangMessage& message, RecordEvents& events);
  void Block(std::string_view text, RecordEvents& events);
  void Summary(const JsonObject& reasoning, RecordEvents& events);
  bool ToolResult(const LangMessage& message, RecordEvents& events);
  void Write(const JsonObject& write, RecordEvents& events);
  void Written(const std::string& channel, std::string_view value, RecordEvents& events);
  void Apply(const std::string& channel, MessageWrite& write, RecordEvents& events);
  ChannelKind KindOf(const std::string& channel);
  void NoteFailure(RecordEvents& events) const;
  void Interrupts(const std::string& task, std::string_view value, RecordEvents& events);
  void ResumeThread(std::string_view answer, RecordEvents& events);
  void ResumeTask(const std::string& task, std::string_view value, RecordEvents& events);

  MessageChannels channels_;
  ShownMessages shown_;
  Current current_;
  bool has_forked_ = false;  // with a DeltaChannel
  std::shared_ptr<const InterruptedTasks> tasks_;
  std::unique_ptr<const LaterCheckpoints> later_;
  std::set<std::string, std::less<>> never_shown_;  // channels whose kind no later checkpoint shows
  std::map<std::string, Questions> asked_;          // by task, after the last checkpoint
  TurnTracker turns_;
};

}  // namespace turnlog
