#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/store_access.h"
#include "logctl/table.h"
#include "logctl/text.h"
#include "turnlog/service/access_tokens.h"

namespace turnlog {
namespace {

struct Options {
  std::string action;
  std::optional<std::string> name;
  std::vector<std::string> rights;
};

std::vector<std::string_view> NamesOf(const AccessToken& token) {
  std::vector<std::string_view> names{ToString(AccessRight::kRead)};  // which every token has
  for (const AccessRight right : token.rights) {
    if (right != AccessRight::kRead) names.push_back(ToString(right));
  }
  return names;
}

CommandResult List(Context& context, const std::filesystem::path& file) {
  const auto tokens = TURNLOG_TRY(ListAccessTokens(file));
  if (context.globals.json) {
    JsonDocument json(context.out);
    json.Array("tokens");
    for (const AccessToken& token : tokens) {
      json.Object();
      json.Field("name", token.name);
      json.Field("made", token.made);
      json.Array("rights");
      for (const std::string_view right : NamesOf(token)) json.Element(right);
      json.EndArray();
      json.EndObject();
    }
    return kFine;
  }
  Table table({{"NAME"}, {"RIGHTS"}, {"MADE (UTC)"}});
  for (const AccessToken& token : tokens) {
    table.Add({Printable(token.name), fmt::format("{}", fmt::join(NamesOf(token), ", ")),
               DateOf(token.made) + " " + ClockOf(token.made)});
  }
  table.Print(context.out);
  if (tokens.empty()) context.messages.Note("there is no named token");
  return kFine;
}

CommandResult Add(Context& context, const Options& options, const std::filesystem::path& file) {
  std::set<AccessRight> rights;
  for (const std::string& name : options.rights) rights.insert(*ParseAccessRight(name));  // OneOf has checked it
  if (rights.empty()) rights.insert(AccessRight::kRead);
  const std::string token = TURNLOG_TRY(AddAccessToken(file, *options.name, rights));
  if (context.globals.json) {
    JsonDocument json(context.out);
    json.Field("name", *options.name);
    json.Field("token", token);
  } else {
    context.out.Write(token + "\n");
    context.messages.Note("the token is kept nowhere: store it now");
  }
  return kFine;
}

CommandResult Run(Context& context, const Options& options) {
  if (options.action == "list" && options.name) return WrongUsage("token list takes no name");
  if (options.action != "add" && !options.rights.empty()) return WrongUsage("--right is for token add");
  const auto path = TURNLOG_TRY(StorePath(context));
  TURNLOG_TRY(OpenToRead(context));  // the folder is a store
  const std::filesystem::path file = AccessTokensFile(path);
  if (options.action == "list") return List(context, file);
  if (!options.name) return WrongUsage("the token needs a name", fmt::format("logctl token {} NAME", options.action));
  if (options.action == "add") return Add(context, options, file);
  TURNLOG_TRY(RemoveAccessToken(file, *options.name));
  return kFine;
}

}  // namespace

Action DefineToken(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddText(app, "ACTION", options->action, "add, list or remove").Required().OneOf({"add", "list", "remove"});
  AddText(app, "NAME", options->name, "The token's name: on record as `who` with what it answers", "NAME");
  AddTexts(app, "--right", options->rights, "What it may do, beside reading; repeatable", "RIGHT")
      .OneOf({"read", "answer", "append", "maintain"})
      .OneValueEach();
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
