#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <utility>

#include "base/secret_string.h"
#include "base/try.h"
#include "logctl/attending.h"
#include "logctl/command.h"
#include "logctl/private_memory.h"
#include "logctl/prompt.h"
#include "logctl/terminal.h"
#include "logctl/typed_answer.h"

namespace turnlog {
namespace {

struct Options {
  std::string conversation;
  std::optional<std::string> id, value, note;
  std::optional<std::uint64_t> secret_to;
  bool from_stdin = false;
  bool remember = false;

  bool asks() const { return !value && !from_stdin; }
};

using Receiver = std::function<Expected<void>(const SecretString&)>;

// REQUIRES: nothing has been opened yet, so that what is open under that number is what the caller meant.
Expected<Receiver> FindReceiver(const std::optional<std::uint64_t>& number) {
  if (!number) return Receiver();
  const int descriptor = *number > 1 << 20 ? -1 : static_cast<int>(*number);
  const int flags = descriptor <= STDERR_FILENO ? -1 : ::fcntl(descriptor, F_GETFL);
  if (flags == -1 || (flags & O_ACCMODE) == O_RDONLY || ::isatty(descriptor) == 1) {
    return WrongUsage(
        "--secret-to-fd needs a descriptor above 2 that can be written to and is no terminal",
        "open one for the program that needs the secret: --secret-to-fd 3 3> >(docker login --password-stdin)");
  }
  return [descriptor](const SecretString& secret) -> Expected<void> {
    SecretString line;
    line.Reserve(secret.size() + 1);
    line.Append(secret.view());
    line.Append('\n');
    return WriteTo(descriptor, line.view());
  };
}

Expected<void> CheckWords(const Options& words) {
  if (words.value && words.from_stdin) return WrongUsage("give --value or --stdin, not both");
  if (words.note && words.asks()) return WrongUsage("--note needs --value or --stdin", "at a terminal, type #");
  if (words.from_stdin && ::isatty(STDIN_FILENO) == 1) {
    return WrongUsage("standard input is a terminal", "without --stdin you are asked");
  }
  if (words.asks() && !Terminal::IsThere()) {
    return WrongUsage("there is no terminal to ask at", "give the answer with --value or --stdin");
  }
  return {};
}

// --- At a terminal ---

// The inquiry that is named, or all that wait.
Expected<void> AskForAnswers(Attending& attending, const Options& words, Prompt& prompt) {
  const auto reply = [&](const InquiryRequest& inquiry) -> Expected<PromptReply> {
    if (prompt.ended()) return PromptReply{};
    return prompt.Ask(inquiry);
  };
  if (words.id) return attending.Attend(TURNLOG_TRY(attending.Choose(words.id)).request.id.text, "terminal", reply);
  if (!attending.Next()) TURNLOG_TRY(attending.Choose({}));
  for (auto next = attending.Next(); next && !prompt.ended(); next = attending.Next()) {
    TURNLOG_TRY(attending.Attend(*next, "terminal", reply));
  }
  return {};
}

Expected<void> Ask(Context& context, Attending& attending, const Options& words, Receiver receiver) {
  Terminal terminal;
  Prompt prompt(terminal, {.conversation = words.conversation,
                           .width = terminal.width(),
                           .color = WantsColor(context.globals.color, STDERR_FILENO),
                           .remember = words.remember,
                           .receiver = std::move(receiver)});
  return AskForAnswers(attending, words, prompt);
}

// --- In a script ---

Expected<SecretString> ReadGiven(const Options& words) {
  if (words.value) return SecretString(*words.value);
  SecretString given = TURNLOG_TRY(ReadStandardInput());
  if (given.view().ends_with('\n')) (void)given.Resize(given.size() - 1);
  return given;
}

Expected<Json> TakeSecret(Context& context, const Options& words, const SecretString& given, const Receiver& receiver) {
  if (words.value) {
    return WrongUsage("a secret is not given on the command line, where others see it and the shell keeps it",
                      "give it at a terminal, or with --stdin");
  }
  if (given.empty()) return Failed("there is no secret on standard input");
  if (receiver) {
    TURNLOG_TRY(receiver(given));
  } else {
    context.messages.Note("no agent is waiting for this secret: it is recorded as given and discarded");
  }
  return JsonString("");
}

Expected<Json> TakeGiven(Context& context, const Options& words, const Question& question, const SecretString& given,
                         const Receiver& receiver) {
  if (question.answer_type.kind == AnswerKind::kSecret) return TakeSecret(context, words, given, receiver);
  auto answer = ReadValue(question, given.view());
  if (!answer) return Failed(answer.error(), "expected is " + ExpectedAnswer(question));
  return *std::move(answer);
}

Expected<void> Give(Context& context, Attending& attending, const Options& words, const SecretString& given,
                    const Receiver& receiver) {
  const InquiryRequest inquiry = TURNLOG_TRY(attending.Choose(words.id)).request;
  const Json answer = TURNLOG_TRY(TakeGiven(context, words, inquiry.question, given, receiver));
  const auto once = [&, done = false](const InquiryRequest&) mutable -> Expected<PromptReply> {
    if (std::exchange(done, true)) return PromptReply{};
    return PromptReply{.kind = PromptReply::Kind::kAnswer,
                       .answer = answer,
                       .remember = words.remember,
                       .reason = {},
                       .note = words.note.value_or("")};
  };
  return attending.Attend(inquiry.id.text, "api", once);
}

CommandResult Run(Context& context, const Options& words) {
  KeepMemoryPrivate();
  TURNLOG_TRY(CheckWords(words));
  const Receiver receiver = TURNLOG_TRY(FindReceiver(words.secret_to));
  const SecretString given = words.asks() ? SecretString() : TURNLOG_TRY(ReadGiven(words));
  auto attending = TURNLOG_TRY(Attending::Open(context, words.conversation, "answer"));
  TURNLOG_TRY(words.asks() ? Ask(context, attending, words, receiver)
                           : Give(context, attending, words, given, receiver));
  return attending.Finish(context);
}

}  // namespace

Action DefineAnswer(CLI::App& app) {
  auto words = std::make_shared<Options>();
  AddText(app, "CONV", words->conversation, "The conversation").Required();
  AddText(app, "ID", words->id, "The inquiry's id; without it all that wait are asked for");
  AddText(app, "--value", words->value, "The answer: JSON, or a text as it is", "ANSWER");
  AddFlag(app, "--stdin", words->from_stdin, "The answer is on standard input; for scripts, and for secrets in them");
  AddText(app, "--note", words->note, "Beside the answer, for the agent; with --value or --stdin", "TEXT");
  AddFlag(app, "--remember", words->remember, "It also holds when the tool asks the same again in this turn");
  AddNumber(app, "--secret-to-fd", words->secret_to, "Hand secrets on, a line each, to this open descriptor", "N");
  return [words](Context& context) { return Run(context, *words); };
}

}  // namespace turnlog
