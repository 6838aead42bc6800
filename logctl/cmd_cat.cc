#include <memory>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/event_lines.h"
#include "logctl/selection.h"
#include "logctl/store_access.h"

namespace turnlog {
namespace {

struct Options {
  std::string conversation;
  Selection selection;
};

CommandResult Run(Context& context, const Options& options) {
  const auto id = TURNLOG_TRY(ParseConversation(options.conversation));
  const auto log = TURNLOG_TRY(OpenToRead(context));
  const auto info = TURNLOG_TRY(FindConversation(*log, id));
  TURNLOG_TRY(options.selection.Check(info));
  EventLines lines(context);
  const auto on_item = [&](const Item& item) -> Expected<bool> {
    TURNLOG_TRY(lines.Add(item));
    return !context.out.closed();
  };
  TURNLOG_TRY(ReadSelected(*log, info, options.selection, on_item));
  return lines.exit_code();
}

}  // namespace

Action DefineCat(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddText(app, "CONV", options->conversation, "The conversation").Required();
  options->selection.Define(app);
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
