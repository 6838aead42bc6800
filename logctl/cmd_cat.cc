#include <memory>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/event_lines.h"
#include "logctl/selection.h"
#include "logctl/store_access.h"

namespace turnlog {
namespace {

struct Words {
  std::string conversation;
  Selection selection;
  bool raw = false;  // both views are the same as long as nothing is repaired
};

Finished Run(Context& context, const Words& words) {
  const auto id = TURNLOG_TRY(ParseConversation(words.conversation));
  const auto log = TURNLOG_TRY(OpenToRead(context));
  const auto info = TURNLOG_TRY(FindConversation(*log, id));
  TURNLOG_TRY(words.selection.Check(info));
  EventLines lines(context);
  const auto on_item = [&](const std::variant<Record, Damage>& item) -> Expected<bool> {
    if (const auto* damage = std::get_if<Damage>(&item)) {
      lines.Add(*damage);
    } else {
      TURNLOG_TRY(lines.Add(std::get<Record>(item)));
    }
    return !context.out.closed();
  };
  TURNLOG_TRY(ReadSelected(*log, info, words.selection, on_item));
  return lines.exit_code();
}

}  // namespace

Action DefineCat(CLI::App& app) {
  auto words = std::make_shared<Words>();
  AddText(app, "CONV", words->conversation, "The conversation")->required();
  words->selection.Define(app);
  app.add_flag("--raw", words->raw, "The log itself, without repairs");
  return [words](Context& context) { return Run(context, *words); };
}

}  // namespace turnlog
