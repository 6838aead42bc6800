// What is written from the commands themselves: completions for shells, and the manual page.
#include <memory>

#include "logctl/command.h"
#include "logctl/completion.h"
#include "logctl/manual_page.h"

namespace turnlog {
namespace {

CommandResult PrintCompletion(Context& context, const CLI::App& app, const std::string& shell) {
  const ProgramInfo info = DescribeProgramOf(app);
  context.out.Write(shell == "bash"  ? BashCompletion(info)
                    : shell == "zsh" ? ZshCompletion(info)
                                     : FishCompletion(info));
  return kFine;
}

}  // namespace

Action DefineCompletion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  AddText(app, "SHELL", *shell, "bash, zsh, fish").Required().OneOf({"bash", "zsh", "fish"});
  return [shell, &app](Context& context) { return PrintCompletion(context, app, *shell); };
}

Action DefineManual(CLI::App& app) {
  return [&app](Context& context) -> CommandResult {
    context.out.Write(ManualPage(DescribeProgramOf(app), TURNLOG_VERSION));
    return kFine;
  };
}

}  // namespace turnlog
