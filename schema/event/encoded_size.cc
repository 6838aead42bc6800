#include "schema/event/encoded_size.h"

#include <optional>
#include <string_view>

namespace turnlog {
namespace {

// Adds up what an event holds, with an allowance for the fields and offsets of its encoding.
class Size {
 public:
  void operator()(std::string_view text) { sum_ += text.size() + kPerText; }
  void operator()(const JsonView& json) { (*this)(json.text()); }
  void operator()(const std::optional<std::string_view>& text) { (*this)(text.value_or("")); }

  void operator()(const std::optional<ResponderView>& responder) {
    if (responder) Add(responder->kind, responder->model, responder->who, responder->via, responder->extra);
  }

  void operator()(const TurnStart&) {}
  void operator()(const ChatRequestView& body) { Add(body.content, body.author, body.schema); }
  void operator()(const ChatResponseView& body) { Add(body.content); }
  void operator()(const ToolCallRequestView& body) { Add(body.id, body.name, body.arguments); }
  void operator()(const ToolCallResponseView& body) {
    Add(body.id, body.content);
    if (body.denied) Add(body.denied->reason, body.denied->responder, body.denied->extra);
  }
  void operator()(const InquiryRequestView& body) {
    const auto& question = body.question;
    Add(body.id.text, body.source.name, body.source.extra, body.escalated_from, question.text, question.default_value,
        question.context, question.persistence, question.extra, question.answer_type.schema,
        question.answer_type.extra);
    for (const auto& option : question.answer_type.options) Add(option.value, option.description, option.extra);
  }
  void operator()(const InquiryResponseView& body) { Add(body.id.text, body.answer, body.reason, body.responder); }
  void operator()(const VerbatimView& body) { Add(body.tag, body.json); }
  void operator()(const RepairView& body) {
    Add(body.profile);
    for (const auto* items : {&body.items, &body.retracts}) {
      for (const auto& item : *items) {
        sum_ += kPerTable;
        Add(item.target.rule, item.extra);
        if (item.event) sum_ += EncodedSizeBound(*item.event);
      }
    }
    sum_ += body.undoes.size() * sizeof(std::uint64_t);
  }
  void operator()(const RedactionRecordView& body) {
    Add(body.by);
    for (const auto& rule : body.rules) {
      sum_ += kPerTable;
      Add(rule.rule, rule.extra);
      sum_ += rule.seqs.size() * sizeof(SeqRange);
    }
  }

  std::size_t sum() const { return sum_; }

 private:
  static constexpr std::size_t kPerText = 32;   // length, terminator, padding, offset, a share of its table
  static constexpr std::size_t kPerTable = 64;  // of those that hold numbers
  static constexpr std::size_t kPerEvent = 512;

  template <class... Texts>
  void Add(const Texts&... texts) {
    ((*this)(texts), ...);
  }

  std::size_t sum_ = kPerEvent;
};

}  // namespace

std::size_t EncodedSizeBound(const EventView& event) {
  Size size;
  std::visit(size, event.body);
  size(event.event_id), size(event.metadata), size(event.extra), size(event.source_text);
  return size.sum();
}

}  // namespace turnlog
