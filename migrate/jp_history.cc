#include "migrate/jp_history.h"

#include <string>
#include <unordered_set>

#include "migrate/jp_element.h"
#include "migrate/json_text.h"
#include "migrate/secret_answers.h"
#include "schema/json_scan.h"

namespace turnlog {
namespace {

bool IsConfig(const RawElement& element) {
  return !FindJsonFault(element.text) && FindJsonString(element.text, "type") == "config_delta";
}

class HistoryReader {
 public:
  explicit HistoryReader(std::string_view text) : text_(text) {}

  JpHistory Read(const RawElements& split, bool packed) {
    std::size_t index = 0;
    if (packed && !split.elements.empty() && IsConfig(split.elements.front())) {
      const RawElement& config = split.elements[index++];
      history_.packed_config.emplace(config.lead).append(config.text);
    } else if (packed) {
      history_.notes.push_back(
          {{}, {}, {}, {}, "no base config: neither base_config.json nor a config_delta in front"});
    }
    const std::size_t first_event = index;
    for (; index < split.elements.size(); ++index) ReadElement(split.elements[index], index);
    RedactSecrets(split.elements, first_event);
    if (split.trailer != CanonicalTrailer(split.elements.empty())) history_.trailer = split.trailer;
    return std::move(history_);
  }

 private:
  void ReadElement(const RawElement& raw, std::size_t index) {
    JpElement element = parser_.Parse(raw, index == 0);
    if (element.fault) history_.problems.push_back(At(raw, index, element.fault->reason, element.fault->byte));
    Event& event = history_.events.emplace_back(std::move(element.event));
    if (event.event_id && !event_ids_.insert(*event.event_id).second) {
      history_.notes.push_back(At(raw, index, "`event_id` repeats an earlier one and is kept as text only"));
      if (!event.source_text) event.source_text.emplace(raw.lead).append(raw.text);
      event.event_id.reset();
    }
  }

  void RedactSecrets(const std::vector<RawElement>& elements, std::size_t first_event) {
    for (const std::size_t i : RedactSecretAnswers(history_.events)) {
      const std::size_t index = first_event + i;
      history_.notes.push_back(At(elements[index], index, "the answer to a secret question was redacted"));
      history_.redacted = true;
    }
  }

  ImportProblem At(const RawElement& raw, std::size_t index, std::string reason, std::size_t byte = 0) const {
    const auto begin = static_cast<std::size_t>(raw.text.data() - text_.data());
    return {{}, index, {}, begin + byte, std::move(reason)};
  }

  std::string_view text_;
  JpElementParser parser_;
  std::unordered_set<std::string> event_ids_;
  JpHistory history_;
};

}  // namespace

std::expected<JpHistory, BadText> ReadJpHistory(std::string_view text, bool packed) {
  const auto split = SplitJpEvents(text);
  if (!split) return std::unexpected(split.error());
  return HistoryReader(text).Read(*split, packed);
}

void JpHistoryWriter::AddConfig(std::string_view packed_config) {
  out_ += packed_config;
  first_ = false;
}

void JpHistoryWriter::Add(const EventView& event) {
  AppendJpElementWithLead(event, first_, out_);
  first_ = false;
}

void JpHistoryWriter::Finish(std::string_view trailer) {
  const bool fits = !trailer.empty() && trailer.contains('[') == first_;
  out_ += fits ? trailer : CanonicalTrailer(first_);
}

}  // namespace turnlog
