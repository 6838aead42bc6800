// What is shown at a terminal for one question, and what its lines mean. docs/inquiries.md lists the keys.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/secret_string.h"
#include "base/style.h"
#include "base/terminal.h"
#include "turnlog/inquiry/terminal_prompter.h"

namespace turnlog {

class TerminalDialogue {
 public:
  // REQUIRES: a width.
  TerminalDialogue(Console& console, TerminalPrompterOptions options)
      : console_(console), options_(std::move(options)) {}

  // `problem`: why the last answer was none; empty the first time. Once the input has ended, nothing is shown.
  Result<PromptReply> Ask(const InquiryRequest& inquiry, std::string_view problem = {});
  bool ended() const { return ended_; }

 private:
  void Show(const InquiryRequest& inquiry);
  void ShowOptions(const Question& question);
  void ShowKeys(const Question& question);
  void Lines(std::string_view text, std::size_t indent = 2, std::optional<Style> style = {});
  Result<PromptReply> Read(const Question& question);
  // False: the input has ended.
  Result<bool> ReadNote();
  // None: no answer; the problem was shown.
  std::optional<PromptReply> Take(const Question& question, std::string_view line);
  Result<std::optional<PromptReply>> TakeSecret(const SecretString& line);
  std::string Paint(Style style, std::string_view text) const { return Painted(options_.color, style, text); }
  void ShowProblem(std::string_view problem);

  Console& console_;
  const TerminalPrompterOptions options_;
  std::string note_;
  bool ended_ = false;
};

}  // namespace turnlog
