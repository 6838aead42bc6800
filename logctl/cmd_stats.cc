#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/store_access.h"
#include "logctl/table.h"
#include "logctl/text.h"

namespace turnlog {
namespace {

void PrintJson(Output& out, const StoreStats& stats) {
  JsonDocument json(out);
  json.Field("store_id", stats.store_id);
  json.Field("format_version", std::uint64_t{stats.format_version});
  if (!stats.compression.empty()) json.Field("compression", stats.compression);
  json.Field("conversations", stats.conversations);
  json.Field("events", stats.events);
  json.Field("payload_bytes", stats.payload_bytes);
  json.Field("engine", stats.engine);
  for (const StoreFigure& figure : stats.figures) json.Field(figure.name, figure.value);
}

std::string SizeText(std::uint64_t bytes) {
  return bytes < 1024 ? HumanSize(bytes) : fmt::format("{} ({} bytes)", HumanSize(bytes), Thousands(bytes));
}

// "index bytes" for "index_bytes".
std::string LabelOf(const StoreFigure& figure) {
  std::string label = figure.name;
  std::ranges::replace(label, '_', ' ');
  return label;
}

void PrintText(Output& out, const StoreStats& stats) {
  const auto line = [&](std::string name, const std::string& value) {
    out.Write(out.Paint(Style::kDim, PadRight(std::move(name), 17)) + "  " + value + "\n");
  };
  line("store", stats.store_id);
  line("format", std::to_string(stats.format_version));
  if (!stats.compression.empty()) line("compression", stats.compression);
  line("conversations", Thousands(stats.conversations));
  line("events", Thousands(stats.events));
  line("content", SizeText(stats.payload_bytes));
  line("engine", stats.engine);
  for (const StoreFigure& figure : stats.figures) {
    line(LabelOf(figure), figure.name.ends_with("_bytes") ? SizeText(figure.value) : Thousands(figure.value));
  }
}

CommandResult Run(Context& context) {
  const auto log = TURNLOG_TRY(OpenToRead(context));
  const StoreStats stats = TURNLOG_TRY(log->Stats());
  context.globals.json ? PrintJson(context.out, stats) : PrintText(context.out, stats);
  return kFine;
}

}  // namespace

Action DefineStats(CLI::App&) { return Run; }

}  // namespace turnlog
