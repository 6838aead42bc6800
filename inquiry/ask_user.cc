#include "turnlog/inquiry/ask_user.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/try.h"
#include "inquiry/submission_reader.h"
#include "schema/json/json_writer.h"
#include "turnlog/inquiry/cancellation.h"

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kMaxQuestions = 4, kMinOptions = 2, kMaxOptions = 4, kMaxHeader = 12;
constexpr std::string_view kCancelled = "User cancelled the question";
constexpr std::string_view kNotForSubAgents =
    "Only the main agent may ask the user. Go on without, or report what is missing.";

std::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

std::size_t CountCharacters(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

class QuestionsParser {
 public:
  std::expected<std::vector<Question>, std::vector<SubmissionProblem>> Parse(const JsonNode& arguments) {
    const auto* const list = problems_.Questions(arguments);
    if (list != nullptr && list->size() > kMaxQuestions) {
      problems_.Note("too_many", "questions", fmt::format("there may be {} questions at most", kMaxQuestions));
    }
    std::vector<Question> questions;
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      questions.push_back(ParseQuestion((*list)[i], fmt::format("questions[{}]", i)));
    }
    if (problems_.clean()) return questions;
    return std::unexpected(std::move(problems_).Take());
  }

 private:
  Question ParseQuestion(const JsonNode& node, const std::string& path) {
    Question question;
    if (!problems_.IsObject(node, path, {"question", "header", "options", "multiSelect"})) return question;
    question.text = problems_.Text(node, path, "question").value_or("");
    if (!question.text.empty() && !texts_.insert(question.text).second) {
      problems_.Note("duplicate_question", path + ".question", "has the same text as an earlier question");
    }
    question.answer_type.kind = IsMulti(node, path) ? AnswerKind::kMultiSelect : AnswerKind::kSelect;
    question.answer_type.options = ParseOptions(node, path + ".options");
    question.exclusive = true;
    question.persistence = "none";
    question.extra = ParseHeader(node, path);
    return question;
  }

  Json ParseHeader(const JsonNode& node, const std::string& path) {
    const auto header = problems_.Text(node, path, "header");
    if (!header) return {};
    if (CountCharacters(*header) > kMaxHeader) {
      problems_.Note("too_long", path + ".header", fmt::format("may have {} characters at most", kMaxHeader));
    }
    return Json::FromTrusted(fmt::format(R"({{"header":{}}})", JsonString(*header).text()));
  }

  bool IsMulti(const JsonNode& node, const std::string& path) {
    const JsonNode* const multi = node.Find("multiSelect");
    if (multi != nullptr && !multi->is(Kind::kBool)) {
      problems_.Note("wrong_type", path + ".multiSelect", "must be true or false");
    }
    return multi != nullptr && multi->is_true();
  }

  std::vector<SelectOption> ParseOptions(const JsonNode& node, const std::string& path) {
    const JsonNode* const list = node.Find("options");
    if (list == nullptr || !list->is(Kind::kArray)) {
      problems_.Note(list == nullptr ? "missing" : "wrong_type", path, "must be an array of options");
      return {};
    }
    if (list->elements.size() < kMinOptions || list->elements.size() > kMaxOptions) {
      problems_.Note("number_of_options", path,
                     fmt::format("there must be {} to {} options", kMinOptions, kMaxOptions));
    }
    std::vector<SelectOption> options;
    std::set<std::string> labels;
    for (std::size_t i = 0; i < list->elements.size(); ++i) {
      const std::string where = fmt::format("{}[{}]", path, i);
      if (!problems_.IsObject(list->elements[i], where, {"label", "description"})) continue;
      const auto label = problems_.Text(list->elements[i], where, "label");
      if (!label) continue;
      if (!labels.insert(*label).second) {
        problems_.Note("duplicate_label", where + ".label", "is the label of an earlier option");
      }
      options.push_back({JsonString(*label), problems_.Text(list->elements[i], where, "description", true), {}});
    }
    return options;
  }

  SubmissionReader problems_;
  std::set<std::string> texts_;
};

Result<std::vector<InquiryId>> Refuse(TurnRecorder& recorder, std::string_view call, std::string content) {
  TURNLOG_TRY(recorder.FinishTool(call, {.content = std::move(content), .is_error = true, .metadata = {}}));
  return std::vector<InquiryId>();
}

Result<const OpenCall*> FindCall(const TurnState& state, std::string_view id) {
  if (const OpenCall* const call = state.FindCall(id)) return call;
  return Fail(ErrorCode::kNotFound, fmt::format("there is no open call {}", id));
}

// The answers by question text, those that are given now for questions that wait.
std::string ResultOf(const std::vector<const InquiryState*>& inquiries, const std::map<std::string, Json>& given) {
  std::string out;
  JsonWriter json(out);
  json.StartObject();
  for (const InquiryState* exchange : inquiries) {
    const std::string& text = exchange->request.question.text;
    const Json& answer = exchange->response ? exchange->response->answer : given.at(text);
    json.Field(text, JsonView::FromTrusted(answer.text()));
  }
  json.EndObject();
  return out;
}

bool IsCancelled(const InquiryState* exchange) {
  return exchange->response && exchange->response->outcome != Outcome::kAnswered;
}

Result<std::vector<Closing>> Answers(const std::vector<const InquiryState*>& inquiries,
                                     const std::map<std::string, Json>& given) {
  std::vector<Closing> closings;
  for (const InquiryState* exchange : inquiries) {
    if (IsCancelled(exchange)) return Fail(ErrorCode::kInvalidArgument, "a question of this call has been cancelled");
    if (exchange->response) continue;
    const auto answer = given.find(exchange->request.question.text);
    const std::string& id = exchange->request.id.text;
    if (answer == given.end()) return Fail(ErrorCode::kInvalidArgument, fmt::format("inquiry {} has no answer", id));
    closings.push_back({id, GivenAnswer{answer->second, {"user", {}, {}, {}, {}}, {}, false}, {}});
  }
  if (closings.empty()) return Fail(ErrorCode::kInvalidArgument, "no question of this call waits");
  if (closings.size() == given.size()) return closings;
  return Fail(ErrorCode::kInvalidArgument, "there is an answer to a question that does not wait");
}

Status RecordCancelled(TurnRecorder& recorder, const TurnState& state, const OpenCall& call) {
  std::vector<Closing> closings;
  for (const InquiryState* exchange : state.InquiriesOf(call)) {
    if (exchange->response) continue;
    closings.push_back({exchange->request.id.text, std::nullopt, std::string(cancellation::kUser)});
  }
  const ToolResult result{.content = std::string(kCancelled), .is_error = true, .metadata = {}};
  return recorder.CloseAll(closings, call.request.id, &result);
}

}  // namespace

std::expected<std::vector<Question>, std::vector<SubmissionProblem>> ParseUserQuestions(const Json& arguments) {
  const Json none = Json::FromTrusted("{}");
  return QuestionsParser().Parse(ParseTree(arguments.empty() ? none : arguments));
}

Result<std::vector<InquiryId>> AskUser(TurnRecorder& recorder, std::string_view call, AgentKind agent) {
  const TurnState state = recorder.state();
  const OpenCall* const open = TURNLOG_TRY(FindCall(state, call));
  if (agent == AgentKind::kSubAgent) return Refuse(recorder, call, std::string(kNotForSubAgents));
  const auto questions = ParseUserQuestions(open->request.arguments);
  if (!questions) return Refuse(recorder, call, ToJson(questions.error()).text());
  std::vector<InquiryId> asked;
  for (const InquiryState* exchange : state.InquiriesOf(*open)) asked.push_back(exchange->request.id);
  if (!asked.empty()) return asked;
  std::vector<InquiryAttempt> askings;
  for (const Question& question : *questions) {
    const InquirySource source{.kind = SourceKind::kAssistant, .name = {}, .extra = {}};
    askings.push_back({std::string(call), fmt::format("q{}", askings.size() + 1), source, question, {}});
  }
  return recorder.AskAll(askings);
}

Status AnswerUser(TurnRecorder& recorder, std::string_view call, const std::map<std::string, Json>& answers) {
  const TurnState state = recorder.state();
  const auto inquiries = state.InquiriesOf(*TURNLOG_TRY(FindCall(state, call)));
  const std::vector<Closing> closings = TURNLOG_TRY(Answers(inquiries, answers));
  const ToolResult result{.content = ResultOf(inquiries, answers), .is_error = false, .metadata = {}};
  return recorder.CloseAll(closings, call, &result);
}

Status CancelUser(TurnRecorder& recorder, std::string_view call) {
  const TurnState state = recorder.state();
  return RecordCancelled(recorder, state, *TURNLOG_TRY(FindCall(state, call)));
}

Result<bool> SettleUser(TurnRecorder& recorder, std::string_view call) {
  TURNLOG_TRY(recorder.Refresh());
  const TurnState state = recorder.state();
  const OpenCall* const open = TURNLOG_TRY(FindCall(state, call));
  const auto inquiries = state.InquiriesOf(*open);
  if (std::ranges::any_of(inquiries, IsCancelled)) {
    TURNLOG_TRY(RecordCancelled(recorder, state, *open));
    return true;
  }
  const bool waits = std::ranges::any_of(inquiries, [](const InquiryState* exchange) { return !exchange->response; });
  if (waits || inquiries.empty()) return false;
  TURNLOG_TRY(recorder.FinishTool(call, {.content = ResultOf(inquiries, {}), .is_error = false, .metadata = {}}));
  return true;
}

}  // namespace turnlog
