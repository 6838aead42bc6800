#include "inquiry/terminal_dialogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/try.h"
#include "schema/json/json_layout.h"
#include "schema/json/json_tree.h"
#include "turnlog/inquiry/answer.h"
#include "turnlog/inquiry/cancellation.h"
#include "turnlog/inquiry/prompt_text.h"
#include "turnlog/inquiry/typed_answer.h"

namespace turnlog {
namespace {

constexpr std::size_t kLongestLine = 4094;  // what a terminal passes on of a longer one ends here

// What can be typed instead of an answer.
struct Key {
  char letter;
  std::string_view meaning;
  std::string_view reason;  // of the cancellation; none: it is put off
  bool in_forms = false;
};

constexpr char kNoteKey = '#';  // no letter: n is an answer
constexpr std::array<Key, 6> kKeys{{{'b', "back", cancellation::kBack, true},
                                    {'r', "reply", cancellation::kReply, true},
                                    {kNoteKey, "note", {}},
                                    {'d', "decline", cancellation::kUser},
                                    {'s', "stop the turn", cancellation::kEndTurn},
                                    {'l', "later", {}}}};

bool IsSecret(const Question& question) { return question.answer_type.kind == AnswerKind::kSecret; }

// A letter that is an option by itself is none.
std::vector<Key> KeysFor(const Question& question) {
  const auto form = FindFormProgress(question);
  std::vector<Key> keys;
  for (const Key& key : kKeys) {
    const bool first = key.reason == cancellation::kBack && form && form->question <= 1;
    const bool secret = key.letter == kNoteKey && IsSecret(question);
    const bool taken = std::ranges::any_of(question.answer_type.options, [&](const SelectOption& option) {
      return OptionText(option.value) == std::string_view(&key.letter, 1);
    });
    if ((form || !key.in_forms) && !first && !secret && !taken) keys.push_back(key);
  }
  return keys;
}

std::optional<Key> FindKey(const Question& question, std::string_view line) {
  for (const Key& key : KeysFor(question)) {
    if (line == std::string_view(&key.letter, 1)) return key;
  }
  return std::nullopt;
}

// A backslash before what would be a key makes it a text.
std::string_view WithoutEscape(const Question& question, std::string_view line) {
  const std::size_t letter = line.find_first_not_of('\\');
  const bool escaped = letter != 0 && letter != std::string_view::npos && FindKey(question, line.substr(letter));
  return escaped ? line.substr(1) : line;
}

PromptReply ReplyOf(const Key& key) {
  const bool later = key.reason.empty();
  return {.kind = later ? PromptReply::Kind::kDeferred : PromptReply::Kind::kCancel,
          .answer = {},
          .remember = false,
          .reason = std::string(key.reason)};
}

std::string DefaultText(const Question& question) {
  const Json& value = question.default_value;
  if (value.empty() || IsSecret(question) || !CheckAnswer(question.answer_type, value)) return {};
  if (question.answer_type.kind == AnswerKind::kBoolean) return value.text() == "true" ? "yes" : "no";
  return OptionText(value);
}

std::string HowToAnswer(const Question& question) {
  switch (question.answer_type.kind) {
    case AnswerKind::kBoolean:
      return "y or n";
    case AnswerKind::kSelect:
      return "a number, or the option's text";
    case AnswerKind::kMultiSelect:
      return "numbers or texts with commas or blanks between them, - for none";
    case AnswerKind::kText:
      return R"(a line of text, "" for an empty one)";
    case AnswerKind::kSchema:
      return "JSON on one line";
    case AnswerKind::kSecret:
      return "what you type is not shown";
  }
  return {};
}

// `ask_user_question` records what an option would look like.
std::optional<std::string> PreviewOf(const SelectOption& option) {
  if (option.extra.empty()) return std::nullopt;
  const JsonNode extra = ParseTree(option.extra);
  const JsonNode* const preview = extra.Find("preview");
  return preview != nullptr && preview->is(JsonNode::Kind::kString) ? std::optional(preview->string) : std::nullopt;
}

bool MayBeRemembered(const Question& question) { return !IsSecret(question) && question.persistence != "none"; }

}  // namespace

Result<PromptReply> TerminalDialogue::Ask(const InquiryRequest& inquiry, std::string_view problem) {
  if (ended_) return PromptReply{};
  Show(inquiry);
  if (!problem.empty()) ShowProblem(problem);
  note_.clear();
  auto reply = TURNLOG_TRY(Read(inquiry.question));
  if (reply.kind == PromptReply::Kind::kAnswer) reply.note = note_;
  reply.via = "terminal";
  return reply;
}

void TerminalDialogue::Show(const InquiryRequest& inquiry) {
  const std::string title = options_.title.empty() ? "" : Paint(Style::kBold, Printable(options_.title)) + ": ";
  const std::string asker = Printable(AskerText(inquiry.source.kind, inquiry.source.name));
  console_.Show(fmt::format("\n{}{} asks  {}\n\n", title, Paint(Style::kMagenta, asker),
                            Paint(Style::kDim, Printable(inquiry.id.text))));
  Lines(PromptText(inquiry.question));
  if (inquiry.question.context) {
    console_.Show("\n");
    Lines(*inquiry.question.context, 4, Style::kDim);
  }
  console_.Show("\n");
  ShowOptions(inquiry.question);
  ShowKeys(inquiry.question);
}

void TerminalDialogue::ShowOptions(const Question& question) {
  const AnswerType& type = question.answer_type;
  for (std::size_t i = 0; i < type.options.size(); ++i) {
    const auto& description = type.options[i].description;
    Lines(fmt::format("{}) {}{}{}", i + 1, OptionText(type.options[i].value), description ? ": " : "",
                      description.value_or("")));
    if (const auto preview = PreviewOf(type.options[i])) Lines(*preview, 6, Style::kDim);
  }
  if (type.other) Lines("or another text");
  if (type.kind == AnswerKind::kSchema) {
    std::string schema = "schema: ";
    AppendCompact(type.schema.text(), schema);
    Lines(schema, 2, Style::kDim);
  }
  if (IsSecret(question) && !options_.secret_notice.empty()) Lines(options_.secret_notice, 2, Style::kYellow);
}

void TerminalDialogue::ShowKeys(const Question& question) {
  std::string line = HowToAnswer(question);
  if (const std::string usual = DefaultText(question); !usual.empty()) line += fmt::format("; Enter: {}", usual);
  Lines(line, 2, Style::kDim);
  line.clear();
  for (const Key& key : KeysFor(question)) {
    line += fmt::format("{}{}: {}", line.empty() ? "" : ", ", key.letter, key.meaning);
  }
  const bool text = question.answer_type.kind == AnswerKind::kText;
  if (text && !line.empty()) line += fmt::format(" (\\{0} for the text {0})", KeysFor(question).front().letter);
  Lines(line, 2, Style::kDim);
}

void TerminalDialogue::Lines(std::string_view text, std::size_t indent, std::optional<Style> style) {
  WrapText(text, options_.width - indent, [&](std::string_view line) {
    const std::string margin(line.empty() ? 0 : indent, ' ');
    console_.Show(margin + (style ? Paint(*style, line) : std::string(line)) + "\n");
    return true;
  });
}

Result<PromptReply> TerminalDialogue::Read(const Question& question) {
  for (;;) {
    const bool secret = IsSecret(question);
    const auto line =
        TURNLOG_TRY(secret ? console_.ReadLine("secret> ", Echo::kOff) : console_.ReadLine("> ", Echo::kOn));
    if (!line) {
      console_.Show("\n");
      ended_ = true;
      return PromptReply{};
    }
    if (const auto key = FindKey(question, line->view())) {
      if (key->letter != kNoteKey) return ReplyOf(*key);
      if (!TURNLOG_TRY(ReadNote())) return PromptReply{};
      continue;
    }
    const auto reply = secret ? TURNLOG_TRY(TakeSecret(*line)) : Take(question, line->view());
    if (reply) return *reply;
  }
}

Result<bool> TerminalDialogue::ReadNote() {
  const auto line = TURNLOG_TRY(console_.ReadLine("note> ", Echo::kOn));
  if (!line) {
    console_.Show("\n");
    ended_ = true;
    return false;
  }
  Question text;
  text.answer_type.kind = AnswerKind::kText;
  if (const auto note = ReadTyped(text, line->view()); !note || line->size() > kLongestLine) {
    ShowProblem(note ? "that is too long for a terminal" : note.error());
  } else {
    note_ = line->view();
  }
  return true;
}

std::optional<PromptReply> TerminalDialogue::Take(const Question& question, std::string_view line) {
  if (line.size() > kLongestLine) {
    ShowProblem("that is too long for a terminal");
    return std::nullopt;
  }
  const auto answer = ReadTyped(question, WithoutEscape(question, line));
  if (!answer) {
    ShowProblem(answer.error());
    return std::nullopt;
  }
  return PromptReply{.kind = PromptReply::Kind::kAnswer,
                     .answer = *answer,
                     .remember = options_.remember && MayBeRemembered(question),
                     .reason = {}};
}

Result<std::optional<PromptReply>> TerminalDialogue::TakeSecret(const SecretString& line) {
  const bool control = std::ranges::any_of(line.view(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (line.empty() || control || line.size() > kLongestLine) {
    ShowProblem(line.empty() ? "nothing was typed"
                : control    ? "control characters are not allowed"
                             : "that is too long for a terminal");
    return std::nullopt;
  }
  if (options_.take_secret) TURNLOG_TRY(options_.take_secret(line.view()));
  const std::string_view answer = options_.take_secret ? std::string_view() : line.view();
  return PromptReply{.kind = PromptReply::Kind::kAnswer, .answer = JsonString(answer), .remember = false, .reason = {}};
}

void TerminalDialogue::ShowProblem(std::string_view problem) { Lines(problem, 2, Style::kRed); }

}  // namespace turnlog
