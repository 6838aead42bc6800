#include "sanitize/redaction/redaction_sources.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/base64.h"
#include "sanitize/redaction/redacted_text.h"
#include "sanitize/secrets/opaque_values.h"
#include "sanitize/secrets/secret_matcher.h"
#include "sanitize/secrets/secret_question.h"
#include "schema/event/event_texts.h"
#include "schema/json/json_visitor.h"

namespace turnlog {
namespace {

const InquiryResponseView* FindAnswer(const EventView& event) {
  const auto* response = std::get_if<InquiryResponseView>(&event.body);
  return response != nullptr && response->outcome == Outcome::kAnswered ? response : nullptr;
}

// Calls `on_value` with what each string stands for that is not a key, and with each number.
template <class OnValue>
struct StringValues : JsonVisitor {
  explicit StringValues(OnValue& called) : on_value(called) {}

  void Scalar(std::size_t, std::string_view token) {
    const bool is_word = token == "true" || token == "false" || token == "null";
    if (is_word) return;
    if (!token.starts_with('"')) return on_value(token);
    std::string text = UnescapeJson(token);
    on_value(text);
    Wipe(text);
  }

  OnValue& on_value;
};

// The same, and with the text of an answer that has parts.
template <class OnValue>
void ForEachValue(std::string_view json, OnValue&& on_value) {
  if (json.starts_with('{') || json.starts_with('[')) on_value(json);
  StringValues strings(on_value);
  (void)VisitValidJson(json, strings);
}

// Plain, or in base64, as exporters write texts.
bool HoldsMark(std::string_view value) {
  if (value.contains(kRedactionMark) || kRedactionMark.contains(value)) return true;
  auto decoded = DecodeBase64(value);
  const bool holds = decoded && decoded->contains(kRedactionMark);
  if (decoded) Wipe(*decoded);
  return holds;
}

}  // namespace

std::string_view TrimValue(std::string_view value) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = value.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return value.substr(begin, value.find_last_not_of(kSpace) - begin + 1);
}

std::vector<FoundSecret> FindUnredacted(const SecretDetector& detector, std::string_view text) {
  std::vector<FoundSecret> found = detector.Find(text);
  std::erase_if(found, [&](const FoundSecret& secret) {
    return HoldsMark(secret.value.view()) || OpaqueAround(text, secret.span).has_value();
  });
  return found;
}

void SourceFinder::AddName() {
  if (search_.detector != nullptr) DetectIn(Seq{0}, conversation_, false);
}

void SourceFinder::Add(Seq seq, const EventView& event) {
  if (search_.detector != nullptr) Detect(seq, event);
  if (event.kind() == EventKind::kTurnStart) EndTurn();
  if (const auto* request = std::get_if<InquiryRequestView>(&event.body)) TakeQuestion(seq, *request);
  if (const InquiryResponseView* answer = FindAnswer(event)) {
    answers_.push_back({seq, std::string(answer->id.text), SecretString(answer->answer.text())});
  }
}

void SourceFinder::TakeQuestion(Seq seq, const InquiryRequestView& request) {
  if (request.question.answer_type.kind != AnswerKind::kSecret) {
    auto& options = asked_plainly_[std::string(request.id.text)];
    if (search_.detector == nullptr || !AsksForSecret(request.question)) return;
    options.emplace();
    for (const auto& option : request.question.answer_type.options) options->emplace_back(option.value.text());
    return;
  }
  asked_.emplace(request.id.text);
  // Older writers stored such a default; it goes like any other occurrence of a secret.
  const JsonView& usual = request.question.default_value;
  if (!search_.secrets || usual.empty()) return;
  ForEachValue(usual.text(), [&](std::string_view value) {
    if (!value.contains(kRedactionMark))
      AddValue(seq, value, kSecretAnswerRule, "the default of a question for a secret");
  });
}

bool SourceFinder::AddAnswer(Seq seq, const EventView& event, std::string_view rule) {
  const InquiryResponseView* answer = FindAnswer(event);
  if (answer != nullptr) AddAnswer(seq, answer->answer.text(), rule);
  return answer != nullptr;
}

ConversationSources SourceFinder::Take() {
  EndTurn();
  return std::move(sources_);
}

// An answer may come before its question, and a legacy id may be asked for twice in a turn: what has the id of a
// request for a secret is one. So is what answers no question of its turn, and has the id of such a request of an
// earlier one.
void SourceFinder::EndTurn() {
  for (const Answer& answer : answers_) {
    const auto plain = asked_plainly_.find(answer.id);
    const bool late = plain == asked_plainly_.end() && asked_before_.contains(answer.id);
    const bool by_words =
        plain != asked_plainly_.end() && plain->second && MayBeSecret(*plain->second, answer.json.view());
    if (search_.secrets && (late || asked_.contains(answer.id))) {
      AddAnswer(answer.seq, answer.json.view(), kSecretAnswerRule);
    } else if (by_words && !IsAccepted(answer.seq, std::string(kSecretQuestionRule))) {
      AddAnswer(answer.seq, answer.json.view(), kSecretQuestionRule);
    }
  }
  answers_.clear();
  asked_before_.merge(asked_);
  asked_.clear();
  asked_plainly_.clear();
}

void SourceFinder::AddAnswer(Seq seq, std::string_view json, std::string_view rule) {
  sources_[seq].answer = true;
  sources_[seq].rules.insert(values_.Rule(rule));  // also if it has no value: true, or an empty list
  const char* const why = rule == kSecretAnswerRule ? "the answer to a question for a secret"
                          : rule == kSecretQuestionRule
                              ? "the answer to a question that speaks of a password, key or code"
                              : "the answer to an inquiry";
  ForEachValue(json, [&](std::string_view value) { AddValue(seq, value, rule, why); });
}

void SourceFinder::Detect(Seq seq, EventView event) {
  ForEachText(event, [&](std::string_view, TextKind kind, std::string_view& text) {
    DetectIn(seq, text, kind == TextKind::kJson || kind == TextKind::kVerbatim);
  });
}

bool SourceFinder::IsAccepted(Seq seq, const std::string& rule) const {
  return search_.accepted != nullptr &&
         std::ranges::binary_search(*search_.accepted, AcceptedFinding{rule, conversation_, seq});
}

// Repeats until nothing is found, because a match may hide an overlapping one.
void SourceFinder::DetectIn(Seq seq, std::string_view text, bool json) {
  const FindSpans find = [&](std::string_view left) {
    std::vector<TextSpan> spans;
    for (const FoundSecret& secret : FindUnredacted(*search_.detector, left)) {
      const std::string& rule = search_.detector->rule(secret.rule).id;
      if (IsAccepted(seq, rule)) continue;
      AddValue(seq, secret.value.view(), rule, search_.detector->Explain(secret));
      spans.push_back(secret.span);
    }
    return spans;
  };
  auto redacted = json ? RedactJson(find, text) : RedactText(find, text);
  if (redacted) Wipe(*redacted);
}

void SourceFinder::AddValue(Seq seq, std::string_view value, std::string_view rule, std::string why) {
  RedactionSource& source = sources_[seq];
  const RuleNumber number = values_.Rule(rule);
  source.rules.insert(number);
  const std::string_view trimmed = TrimValue(value);
  if (const auto reason = WhyNotSearchable(trimmed)) {
    unsearched_.push_back(
        {.conversation = conversation_, .seq = seq, .rule = std::string(rule), .reason = std::string(*reason)});
  } else {
    source.values.insert(values_.Add(trimmed, number, std::move(why)));
  }
}

}  // namespace turnlog
