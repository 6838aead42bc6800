#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "logctl/command.h"
#include "logctl/json_document.h"
#include "turnlog/doctor/doctor.h"
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

void ExplainSession(Context& context, const SessionRule& rule) {
  const std::string_view cure = rule.cure.empty() ? "none" : rule.cure;
  if (context.globals.json) {
    JsonDocument json(context.out);
    json.Field("rule", rule.id);
    json.Field("verdict", ToString(rule.verdict));
    json.Field("requirement", rule.requirement);
    json.Field("cure", rule.cure);
    return;
  }
  context.out.Write(fmt::format("{} (sessions)\n{}\ncure: {}\n", rule.id, rule.requirement, cure));
}

CommandResult Run(Context& context, const std::string& id) {
  if (const SessionRule* const rule = FindSessionRule(id)) return ExplainSession(context, *rule), kFine;
  const ProviderRule* const rule = FindProviderRule(id);
  if (rule == nullptr)
    return WrongUsage(fmt::format("no rule {}", id),
                      "`logctl lint` and `logctl doctor` name the rules that they find broken");
  context.globals.json ? PrintJson(context.out, *rule) : PrintText(context.out, *rule);
  return kFine;
}

}  // namespace

Action DefineExplain(CLI::App& app) {
  auto id = std::make_shared<std::string>();
  AddText(app, "RULE", *id, "The id of a rule, see docs/provider_rules.md and docs/doctor.md", "RULE").Required();
  return [id](Context& context) { return Run(context, *id); };
}

}  // namespace turnlog
