// Asks a person one question: shows it, reads what is typed, asks again until that makes sense. docs/inquiries.md has
// the keys.
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
#include "turnlog/inquiry/form.h"
#include "turnlog/inquiry/inquirer.h"

namespace turnlog {

struct PromptSettings {
  std::string conversation;
  std::size_t width = 80;
  bool color = false;
  bool remember = false;  // answers hold until the turn is over, where the question allows it
  // Takes a secret that was typed; nothing of it stays here. None: nobody wants it.
  std::function<Expected<void>(const SecretString&)> receiver;
};

class Prompt {
 public:
  Prompt(Console& console, PromptSettings settings) : console_(console), settings_(std::move(settings)) {}

  // `rejected`: the attempt that this one follows up, if there is one. Of a secret the reply has no more than that it
  // was given.
  Expected<PromptReply> Ask(const InquiryRequest& inquiry, const std::optional<InquiryResponse>& rejected);
  // The person has left: there is no point in asking more.
  bool ended() const { return ended_; }

 private:
  void Show(const InquiryRequest& inquiry, const std::optional<InquiryResponse>& rejected);
  void ShowOptions(const Question& question);
  void ShowKeys(const Question& question);
  void Lines(std::string_view text, std::size_t indent = 2, std::optional<Style> style = {});
  Expected<PromptReply> Read(const Question& question);
  // None: it has been said what was wrong.
  std::optional<PromptReply> Take(const Question& question, std::string_view line);
  Expected<std::optional<PromptReply>> TakeSecret(const SecretString& line);
  std::string Paint(Style style, std::string_view text) const { return Painted(settings_.color, style, text); }
  void Complain(std::string_view problem);

  Console& console_;
  PromptSettings settings_;
  bool ended_ = false;
};

}  // namespace turnlog
