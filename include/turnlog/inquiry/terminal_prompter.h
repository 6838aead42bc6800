// Asks the person at this process's terminal: shows a question on standard error and reads lines from standard input
// until one is an answer, or a key of docs/inquiries.md. Stored text cannot control the terminal.
//   TerminalPrompter terminal;
//   const Responders responders{.user = std::ref(terminal), ...};
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "turnlog/inquiry/inquirer.h"

namespace turnlog {

struct TerminalPrompterOptions {
  std::string title;      // shown above each question, e.g. the conversation; nothing if empty
  std::size_t width = 0;  // columns; 0: those of the terminal
  bool color = false;
  bool remember = false;  // answers hold until the end of the turn, if the question allows it
  // Takes a typed secret; if it fails, the question goes on waiting. Then the reply holds an empty string instead.
  // None: the secret is the reply's answer, for the tool that asks in this process.
  std::function<Status(std::string_view secret)> take_secret = {};
  std::string secret_notice = {};  // shown with questions for a secret
};

// Threads: may be called from any thread; one question is shown at a time.
class TerminalPrompter {
 public:
  // Whether standard input and standard error are a terminal.
  static bool IsPossible();

  explicit TerminalPrompter(TerminalPrompterOptions options = {});
  ~TerminalPrompter();
  TerminalPrompter(const TerminalPrompter&) = delete;
  TerminalPrompter& operator=(const TerminalPrompter&) = delete;

  // A Prompter. After Ctrl-D this question and all others are deferred. kIo: standard input cannot be read;
  // kUnsupported: the terminal cannot hide a secret.
  Result<PromptReply> operator()(const InquiryRequest& inquiry, std::string_view problem);
  // Standard input has ended.
  bool ended() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace turnlog
