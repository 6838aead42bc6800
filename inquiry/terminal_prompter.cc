#include "turnlog/inquiry/terminal_prompter.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/terminal.h"
#include "inquiry/terminal_dialogue.h"

namespace turnlog {
namespace {

TerminalPrompterOptions WithWidth(TerminalPrompterOptions options, const Terminal& terminal) {
  constexpr std::size_t kAtLeast = 20;  // more than what is indented
  options.width = options.width == 0 ? terminal.width() : std::max(options.width, kAtLeast);
  return options;
}

}  // namespace

struct TerminalPrompter::Impl {
  Terminal terminal;
  std::mutex mutex;
  TerminalDialogue dialogue;  // guarded by mutex

  explicit Impl(TerminalPrompterOptions options) : dialogue(terminal, WithWidth(std::move(options), terminal)) {}
};

bool TerminalPrompter::IsPossible() { return Terminal::IsThere(); }

TerminalPrompter::TerminalPrompter(TerminalPrompterOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

TerminalPrompter::~TerminalPrompter() = default;

Result<PromptReply> TerminalPrompter::operator()(const InquiryRequest& inquiry, std::string_view problem) {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->dialogue.Ask(inquiry, problem);
}

bool TerminalPrompter::ended() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->dialogue.ended();
}

}  // namespace turnlog
