#include <fmt/format.h>

#include <memory>

#include "base/file_system.h"
#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/text.h"
#include "turnlog/providers/lint.h"

namespace turnlog {
namespace {

struct Options {
  std::string provider;
  std::string file;
  std::string model;
};

void PrintJson(Output& out, const Options& options, const std::vector<ProviderFinding>& findings) {
  JsonDocument json(out);
  json.Field("file", options.file);
  json.Field("provider", options.provider);
  json.Array("findings");
  for (const ProviderFinding& finding : findings) {
    json.Object();
    json.Field("rule", finding.rule->id);
    json.Field("verdict", ToString(finding.rule->verdict));
    json.Field("pointer", finding.pointer);
    json.Field("line", finding.line);
    json.Field("byte", finding.byte);
    if (!finding.detail.empty()) json.Field("detail", finding.detail);
    json.Field("requirement", finding.rule->requirement);
    json.Field("cure", finding.rule->cure);
    json.EndObject();
  }
  json.EndArray();
}

void PrintText(Context& context, const Options& options, const std::vector<ProviderFinding>& findings) {
  for (const ProviderFinding& finding : findings) {
    const bool risk = finding.rule->verdict == Verdict::kRisk;
    context.out.Write(fmt::format("{}:{}: {}{}{}{}\n", Printable(options.file), finding.line,
                                  context.out.Paint(risk ? Style::kYellow : Style::kRed, finding.rule->id),
                                  risk ? " (risk)" : "",
                                  finding.pointer.empty() ? "" : " at " + Printable(finding.pointer),
                                  finding.detail.empty() ? "" : ": " + Printable(finding.detail)));
    context.out.Write(fmt::format("    {}\n    cure: {}\n", finding.rule->requirement, finding.rule->cure));
  }
  if (context.globals.quiet) return;
  context.out.Write(
      findings.empty() ? fmt::format("no finding: {} would accept it as far as its rules are known\n", options.provider)
                       : fmt::format("{}\n", Counted(findings.size(), "finding")));
}

CommandResult Run(Context& context, const Options& options) {
  const std::string text = TURNLOG_TRY(ReadInput(options.file));
  const auto findings = LintRequest(*FindProvider(options.provider), text, {.model = options.model});
  if (!findings) return Failed(Named(options.file, findings.error().message));
  context.globals.json ? PrintJson(context.out, options, *findings) : PrintText(context, options, *findings);
  return findings->empty() ? kFine : kFound;
}

}  // namespace

Action DefineLint(CLI::App& app) {
  auto options = std::make_shared<Options>();
  std::vector<std::string> providers;
  for (const Provider provider : AllProviders()) providers.emplace_back(ToString(provider));
  AddText(app, "API", options->provider, "anthropic, openai-chat, openai-responses or gemini", "API")
      .Required()
      .OneOf(providers);
  AddText(app, "FILE", options->file, "The body of a request, or only its list of messages, items or contents", "FILE")
      .Required();
  AddText(app, "--model", options->model,
          "The model that decides which rules apply; default: the request's, or else the newest", "MODEL");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
