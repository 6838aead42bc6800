#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "logctl/command.h"
#include "logctl/json_document.h"
#include "turnlog/providers/lint.h"

namespace turnlog {
namespace {

std::vector<std::string_view> NamesOf(const ProviderRule& rule) {
  std::vector<std::string_view> names;
  for (const Provider provider : rule.providers) names.push_back(ToString(provider));
  return names;
}

void PrintJson(Output& out, const ProviderRule& rule) {
  JsonDocument json(out);
  json.Field("rule", rule.id);
  json.Array("providers");
  for (const std::string_view name : NamesOf(rule)) json.Element(name);
  json.EndArray();
  json.Field("verdict", ToString(rule.verdict));
  json.Field("requirement", rule.requirement);
  json.Field("error", rule.error);
  json.Field("cure", rule.cure);
}

void PrintText(Output& out, const ProviderRule& rule) {
  out.Write(fmt::format("{} ({})\n{}\n", rule.id, fmt::join(NamesOf(rule), ", "), rule.requirement));
  if (!rule.error.empty()) out.Write(fmt::format("error: {}\n", rule.error));
  if (rule.verdict == Verdict::kRisk) out.Write("refused by some models or servers only, or a waste\n");
  out.Write(fmt::format("cure: {}\n", rule.cure));
}

CommandResult Run(Context& context, const std::string& id) {
  const ProviderRule* const rule = FindProviderRule(id);
  if (rule == nullptr)
    return WrongUsage(fmt::format("no rule {}", id), "`logctl lint` names the rules that it finds broken");
  context.globals.json ? PrintJson(context.out, *rule) : PrintText(context.out, *rule);
  return kFine;
}

}  // namespace

Action DefineExplain(CLI::App& app) {
  auto id = std::make_shared<std::string>();
  AddText(app, "RULE", *id, "The id of a rule, see docs/provider_rules.md", "RULE").Required();
  return [id](Context& context) { return Run(context, *id); };
}

}  // namespace turnlog
