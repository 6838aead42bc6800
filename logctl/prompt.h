// Asks a person one question: shows it and reads answers until one is valid. docs/inquiries.md lists the keys.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/secret_string.h"
#include "logctl/errors.h"
#include "logctl/output.h"
#include "logctl/terminal.h"
#include "turnlog/inquiry/inquirer.h"

namespace turnlog {

struct PromptSettings {
  std::string conversation;
  std::size_t width = 80;
  bool color = false;
  bool remember = false;  // answers hold until the end of the turn, if the question allows it
  // Receives a typed secret. None: the secret is discarded.
  std::function<Expected<void>(const SecretString&)> receiver;
};

class Prompt {
 public:
  Prompt(Console& console, PromptSettings settings) : console_(console), settings_(std::move(settings)) {}

  // The reply never holds a secret, only that it was given.
  Expected<PromptReply> Ask(const InquiryRequest& inquiry);
  // Standard input has ended: further questions cannot be answered.
  bool ended() const { return ended_; }

 private:
  void Show(const InquiryRequest& inquiry);
  void ShowOptions(const Question& question);
  void ShowKeys(const Question& question);
  void Lines(std::string_view text, std::size_t indent = 2, std::optional<Style> style = {});
  Expected<PromptReply> Read(const Question& question);
  // False: standard input has ended.
  Expected<bool> ReadNote();
  // None: invalid; the problem was shown.
  std::optional<PromptReply> Take(const Question& question, std::string_view line);
  Expected<std::optional<PromptReply>> TakeSecret(const SecretString& line);
  std::string Paint(Style style, std::string_view text) const { return Painted(settings_.color, style, text); }
  void ShowProblem(std::string_view problem);

  Console& console_;
  PromptSettings settings_;
  std::string note_;
  bool ended_ = false;
};

}  // namespace turnlog
