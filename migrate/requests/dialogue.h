// A turn as a model is to see it, whatever the provider: requests, what the model said, calls with their results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/event.h"
#include "turnlog/open_requests.h"

namespace turnlog {

// A sealed value travels only to the model and provider that sealed it.
struct Sealed {
  std::string value;
  std::string model;  // empty: not known
};

struct ModelPart {
  enum class Kind : std::uint8_t { kText, kReasoning, kCall };

  Kind kind = Kind::kText;
  std::string text;              // of a call: its arguments, a JSON object
  std::optional<Sealed> sealed;  // of reasoning
  std::string id, name;          // of a call
  std::optional<Timestamp> time;
};

// Of the call at the same index among the calls.
struct CallResult {
  std::string content;
  bool is_error = false;
  bool recorded = false;
  std::optional<Timestamp> time;
};

struct UserText {
  std::string text;
  std::optional<Timestamp> time;
  bool by_harness = false;  // the tool has written it, not the user
};

// What the user says, what the model says then, and the results of its calls. Any of them may be empty.
struct DialogueStep {
  std::vector<UserText> requests;
  std::vector<ModelPart> parts;
  std::vector<CallResult> results;
  std::string model;  // that has said it, if the log names one
};

struct TurnDialogue {
  std::vector<DialogueStep> steps;
  std::uint64_t stray_results = 0;  // left out: no call of the turn has their id
  std::uint64_t closed_calls = 0;   // without a result in the turn: an error stands for it
};

// Folds the events of one turn; memory follows the turn. Pairs as OpenRequests does. Blank texts are left out. A result
// goes to its call, whatever came between.
class DialogueFold {
 public:
  struct Origin {
    std::string_view model{};  // that sealed the event, if its metadata name none
    bool redacted = false;     // its contents are not those that were sealed
    bool inserted = false;     // by a repair, as Take would add it: a repaired turn gives what it gave before
  };
  void Add(const EventView& event, const Origin& origin);
  bool empty() const { return turn_.steps.empty(); }
  // What has been added since the last call.
  TurnDialogue Take();

 private:
  struct CallIndex {
    std::size_t step = 0, result = 0;
  };

  void AddRequest(const ChatRequestView& request, std::optional<Timestamp> time);
  void AddPart(ModelPart part, const EventView& event, std::string_view model);
  void AddResult(const ToolCallResponseView& response, std::optional<Timestamp> time, bool inserted);

  TurnDialogue turn_;
  OpenRequests open_;  // by index in `calls_`
  std::vector<CallIndex> calls_;
  std::string message_;    // the provider's id of the message that the last part is of
  bool answered_ = false;  // a call of the last step has its result
};

}  // namespace turnlog
