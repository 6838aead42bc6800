#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <utility>

#include "base/file_system.h"
#include "base/secret_string.h"
#include "base/try.h"
#include "logctl/answer_session.h"
#include "logctl/command.h"
#include "logctl/private_memory.h"
#include "logctl/secret_streams.h"
#include "turnlog/inquiry/approval.h"
#include "turnlog/inquiry/terminal_prompter.h"
#include "turnlog/inquiry/typed_answer.h"

namespace turnlog {
namespace {

struct Options {
  std::string conversation;
  std::optional<std::string> id, value, note, arguments_file;
  std::optional<std::uint64_t> secret_to;
  bool from_stdin = false;
  bool remember = false;

  bool asks() const { return !value && !from_stdin && !arguments_file; }
};

using Receiver = std::function<Status(std::string_view secret)>;

// Where the secrets that answer a question go.
class SecretSink {
 public:
  SecretSink(AnswerSession& session, std::string_view via, const Receiver& receiver)
      : session_(session), via_(via), receiver_(receiver) {}

  // Nothing takes them.
  bool discards() const { return !receiver_ && !session_.hands_over_secrets(); }
  Status Take(const std::string& inquiry, std::string_view secret) const {
    if (receiver_) return receiver_(secret);
    return discards() ? Status() : session_.HandOver(inquiry, via_, secret);
  }

 private:
  AnswerSession& session_;
  const std::string_view via_;
  const Receiver& receiver_;
};

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
  return [descriptor](std::string_view secret) {
    SecretString line;
    line.Reserve(secret.size() + 1);
    line.Append(secret);
    line.Append('\n');
    return WriteTo(descriptor, line.view());
  };
}

Expected<void> CheckOptions(const Options& options) {
  if (options.value.has_value() + options.from_stdin + options.arguments_file.has_value() > 1) {
    return WrongUsage("give one of --value, --stdin and --arguments-file");
  }
  if (options.note && options.asks()) {
    return WrongUsage("--note needs --value, --stdin or --arguments-file", "at a terminal, type #");
  }
  if (options.arguments_file && options.remember) return WrongUsage("edited arguments hold once, without --remember");
  if (options.from_stdin && ::isatty(STDIN_FILENO) == 1) {
    return WrongUsage("standard input is a terminal", "without --stdin you are asked");
  }
  if (options.asks() && !TerminalPrompter::IsPossible()) {
    return WrongUsage("there is no terminal to ask at", "give the answer with --value or --stdin");
  }
  return {};
}

// --- At a terminal ---

constexpr std::string_view kTerminal = "terminal";

// The inquiry that is named, or all that wait.
Expected<void> AskForAnswers(AnswerSession& session, const Options& options, TerminalPrompter& prompt,
                             std::string& asked) {
  const auto reply = [&](const InquiryRequest& inquiry) -> Expected<PromptReply> {
    asked = inquiry.id.text;
    return TURNLOG_TRY(prompt(inquiry, {}));
  };
  if (options.id) return session.Respond(TURNLOG_TRY(session.Choose(options.id)).request.id.text, kTerminal, reply);
  if (!session.Next()) TURNLOG_TRY(session.Choose({}));
  for (auto next = session.Next(); next && !prompt.ended(); next = session.Next()) {
    TURNLOG_TRY(session.Respond(*next, kTerminal, reply));
  }
  return {};
}

Expected<void> Ask(Context& context, AnswerSession& session, const Options& options, const Receiver& receiver) {
  const std::string_view notice =
      "No agent is waiting for this secret: it is recorded as given and discarded. --secret-to-fd passes it to a "
      "program.";
  const SecretSink sink(session, kTerminal, receiver);
  std::string asked;  // the inquiry's id
  TerminalPrompter prompt({.title = options.conversation,
                           .color = WantsColor(context.globals.color, STDERR_FILENO),
                           .remember = options.remember,
                           .take_secret = [&](std::string_view secret) { return sink.Take(asked, secret); },
                           .secret_notice = std::string(sink.discards() ? notice : "")});
  return AskForAnswers(session, options, prompt, asked);
}

// --- In a script ---

constexpr std::string_view kApi = "api";

Expected<SecretString> ReadArguments(const std::string& path) {
  return SecretString(TURNLOG_TRY(ReadInput(path == "-" ? "/dev/stdin" : path)));
}

Expected<SecretString> ReadGiven(const Options& options) {
  if (options.value) return SecretString(*options.value);
  if (options.arguments_file) return ReadArguments(*options.arguments_file);
  SecretString given = TURNLOG_TRY(ReadSecret(STDIN_FILENO, "standard input"));
  if (given.view().ends_with('\n')) (void)given.Resize(given.size() - 1);
  return given;
}

Expected<Json> TakeSecret(Context& context, const Options& options, const InquiryRequest& inquiry,
                          const SecretString& given, const SecretSink& sink) {
  if (options.value) {
    return WrongUsage("a secret is not given on the command line, where others see it and the shell keeps it",
                      "give it at a terminal, or with --stdin");
  }
  if (given.empty()) return Failed("there is no secret on standard input");
  TURNLOG_TRY(sink.Take(inquiry.id.text, given.view()));
  if (sink.discards()) {
    context.messages.Note("no agent is waiting for this secret: it is recorded as given and discarded");
  }
  return JsonString("");
}

Expected<Json> TakeGiven(Context& context, const Options& options, const InquiryRequest& inquiry,
                         const SecretString& given, const SecretSink& sink) {
  const Question& question = inquiry.question;
  if (question.answer_type.kind == AnswerKind::kSecret) return TakeSecret(context, options, inquiry, given, sink);
  auto answer = ReadValue(question, given.view());
  const std::string expected = ExpectedAnswer(question);
  if (!answer) return Failed(answer.error(), answer.error().ends_with(expected) ? "" : "expected is " + expected);
  return *std::move(answer);
}

// The arguments that replace those of the call that the question is about.
Expected<Json> TakeArguments(const AnswerSession& session, const Options& options, const SecretString& given) {
  const TurnState now = session.state();
  const InquiryState inquiry = TURNLOG_TRY(session.Choose(options.id));
  const OpenCall* const call = CallToApprove(now, inquiry);
  if (call == nullptr) return Failed(CheckEditedArguments(nullptr, {}).error().message);
  auto arguments = ParseJson(given.view());
  if (!arguments) return Failed(Named(*options.arguments_file, arguments.error().message));
  const Status fits = CheckEditedArguments(&call->request, *arguments);
  if (!fits) return Failed(fits.error().message);
  return *std::move(arguments);
}

Expected<PromptReply> ReplyOf(Context& context, AnswerSession& session, const Options& options,
                              const InquiryRequest& inquiry, const SecretString& given, const SecretSink& sink) {
  PromptReply reply{.kind = PromptReply::Kind::kAnswer,
                    .answer = {},
                    .remember = options.remember,
                    .reason = {},
                    .note = options.note.value_or("")};
  if (options.arguments_file) {
    reply.edited_arguments = TURNLOG_TRY(TakeArguments(session, options, given));
  } else {
    reply.answer = TURNLOG_TRY(TakeGiven(context, options, inquiry, given, sink));
  }
  return reply;
}

Expected<void> Give(Context& context, AnswerSession& session, const Options& options, const SecretString& given,
                    const Receiver& receiver) {
  const std::string id = TURNLOG_TRY(session.Choose(options.id)).request.id.text;
  const SecretSink sink(session, kApi, receiver);
  const auto once = [&, done = false](const InquiryRequest& inquiry) mutable -> Expected<PromptReply> {
    if (std::exchange(done, true)) return PromptReply{};
    return ReplyOf(context, session, options, inquiry, given, sink);
  };
  return session.Respond(id, kApi, once);
}

CommandResult Run(Context& context, const Options& options) {
  KeepMemoryPrivate();
  TURNLOG_TRY(CheckOptions(options));
  const Receiver receiver = TURNLOG_TRY(FindReceiver(options.secret_to));
  const SecretString given = options.asks() ? SecretString() : TURNLOG_TRY(ReadGiven(options));
  auto session = TURNLOG_TRY(AnswerSession::Open(context, options.conversation, "answer"));
  TURNLOG_TRY(options.asks() ? Ask(context, session, options, receiver)
                             : Give(context, session, options, given, receiver));
  return session.Finish(context);
}

}  // namespace

Action DefineAnswer(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddText(app, "CONV", options->conversation, "The conversation").Required();
  AddText(app, "ID", options->id, "The inquiry's id; default: each pending inquiry of the conversation");
  AddText(app, "--value", options->value, "The answer: JSON, or a text as it is", "ANSWER");
  AddFlag(app, "--stdin", options->from_stdin, "The answer is on standard input; for scripts, and for secrets in them");
  AddText(app, "--arguments-file", options->arguments_file,
          "Of a call that waits for its approval: let it run with the JSON object in this file (-: standard input) in "
          "place of its arguments",
          "FILE");
  AddText(app, "--note", options->note, "Beside the answer, for the agent; not at a terminal", "TEXT");
  AddFlag(app, "--remember", options->remember, "It also holds when the tool asks the same again in this turn");
  AddNumber(app, "--secret-to-fd", options->secret_to, "Hand secrets on, a line each, to this open descriptor", "N");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
