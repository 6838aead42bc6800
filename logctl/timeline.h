// A conversation as readable text: turns, times, messages, tool calls with their results, and each inquiry with its
// outcome. Memory does not grow with the conversation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "logctl/errors.h"
#include "logctl/inquiry_text.h"
#include "logctl/output.h"
#include "turnlog/log.h"
#include "turnlog/open_requests.h"

namespace turnlog {

class Timeline {
 public:
  struct Options {
    bool full = false;        // nothing is shortened
    bool whole_turns = true;  // reading starts at the beginning of a turn
    bool raw = false;         // the log itself, not the sanitized view
  };

  Timeline(Log& log, ConversationId conversation, const ConversationInfo& info, Output& out, const Options& options);

  Expected<void> Add(const Record& record);
  void Add(const Damage& damage);
  void Add(const Erased& erased);
  // Ends the last turn.
  void Finish();

 private:
  struct Call {
    std::uint64_t seq = 0;
    ToolCallRequest request;
  };
  struct Calls {
    std::uint64_t count = 0;
    OpenRequests open;                                   // by count
    std::map<std::uint64_t, Call> without_result;        // likewise
    std::unordered_map<std::string, std::string> names;  // by id: in its last call
  };

  Expected<void> Body(const TurnStart& body);
  Expected<void> Body(const ChatRequestView& body);
  Expected<void> Body(const ChatResponseView& body);
  Expected<void> Body(const ToolCallRequestView& body);
  Expected<void> Body(const ToolCallResponseView& body);
  Expected<void> Body(const InquiryRequestView& body);
  Expected<void> Body(const InquiryResponseView& body);
  Expected<void> Body(const VerbatimView& body);
  Expected<void> Body(const RepairView& body);
  Expected<void> Body(const RedactionRecordView& body);

  Expected<void> Json(std::string_view tag, std::string_view json, bool shown);
  void TurnHeader(Turn turn, EventKind kind);
  std::string NameOf(const ToolCallResponseView& result, const std::optional<Call>& call) const;
  void PrintDenial(const ToolCallResponseView& result, const std::optional<Call>& call);
  void PrintOutcome(const InquiryRecord& record, const EventView* event);
  Expected<void> OutcomeOf(const InquiryRecord& record, const InquiryIdView& id);
  Expected<std::optional<InquiryRecord>> FindRecord(const InquiryIdView& id, bool is_request);
  void EndTurn();

  // Lines of the current event: its head, then indented text, whole or as an excerpt.
  void Head(std::string_view who, std::string_view rest = {});
  void Below(std::string_view text, std::optional<Style> style = {});
  void Excerpt(std::string_view text, std::optional<Style> style = {});
  void Line(std::string_view printable);

  Log& log_;
  ConversationId conversation_;
  Output& out_;
  Options options_;
  std::uint64_t last_turn_;
  std::size_t seq_width_;
  std::size_t indent_;

  Seq seq_;                             // of the current event; 0: inserted
  std::optional<Timestamp> timestamp_;  // likewise
  std::string mark_;                    // likewise: the repair that has inserted or moved it
  Turn turn_{};
  bool started_ = false;
  bool complete_;  // the current turn was read from its beginning
  std::string date_;
  Calls calls_;  // of the current turn
};

}  // namespace turnlog
