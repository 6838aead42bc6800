#include "migrate/logged/source_outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/coding.h"
#include "base/try.h"
#include "schema/event/import_event.h"

namespace turnlog {
namespace {

// Another version is read as no outcome.
constexpr std::uint64_t kVersion = 5;

// A watermark of a conversation that does not exist: a source may have many conversations, or none.
ConversationId KeyOf(const std::filesystem::path& source) {
  std::error_code ignored;
  std::filesystem::path whole = std::filesystem::weakly_canonical(source, ignored);
  if (ignored) whole = std::filesystem::absolute(source, ignored).lexically_normal();
  const Hash128 hash = HashId((whole.has_filename() ? whole : whole.parent_path()).native(), 0);
  return ConversationId::Parse(fmt::format("import-source-{:016x}{:016x}", hash.high, hash.low)).value();
}

}  // namespace

ImportReason ToRepeat(std::span<const ImportProblem> problems, bool refused) {
  using enum ImportProblemCode;
  const auto first = std::ranges::find_if(problems, [refused](const ImportProblem& problem) {
    const bool imported = problem.code == kIncomplete || problem.code == kQuarantined || problem.code == kSecretKept;
    return refused ? !imported : problem.code == kIncomplete;
  });
  return first == problems.end() ? ImportReason() : ImportReason{first->code, first->reason};
}

std::string WhyAgain(const SourceOutcome& known) {
  std::string why = known.problem;
  if (known.failed == 2) why += "; 1 more conversation was refused";
  if (known.failed > 2) why += fmt::format("; {} more conversations were refused", known.failed - 1);
  return why + " (not read again: nothing of it has changed)";
}

Result<std::optional<SourceOutcome>> FindOutcome(Log& log, const std::filesystem::path& source) {
  const auto watermark = TURNLOG_TRY(log.FindWatermark(kImportConsumer, KeyOf(source)));
  if (!watermark) return std::nullopt;
  Decoder in{watermark->state};
  if (in.Varint() != kVersion) return std::nullopt;
  SourceOutcome outcome;
  outcome.format = in.Text();
  outcome.revision = static_cast<std::uint32_t>(in.Varint());
  outcome.stamp = in.Hash();
  for (std::uint64_t* value : {&outcome.device, &outcome.inode, &outcome.size, &outcome.imported, &outcome.failed}) {
    *value = in.Varint();
  }
  outcome.without_secrets = in.Varint() > 0;
  outcome.code = FindImportProblemCode(in.Text()).value_or(ImportProblemCode::kMalformed);
  outcome.problem = in.Text();
  outcome.conversation = in.Text();
  outcome.lines = in.Text();
  if (!in.ok || !in.bytes.empty()) return std::nullopt;
  return outcome;
}

Status SaveOutcome(Log& log, const std::filesystem::path& source, const SourceOutcome& outcome) {
  std::string out;
  AppendVarint(out, kVersion);
  AppendText(out, outcome.format);
  AppendVarint(out, outcome.revision);
  AppendHash(out, outcome.stamp);
  for (const std::uint64_t value : {outcome.device, outcome.inode, outcome.size, outcome.imported, outcome.failed}) {
    AppendVarint(out, value);
  }
  AppendVarint(out, outcome.without_secrets ? 1 : 0);
  AppendText(out, ToString(outcome.code));
  AppendText(out, outcome.problem);
  AppendText(out, outcome.conversation);
  AppendText(out, outcome.lines);
  return log.SetWatermark(kImportConsumer, KeyOf(source), {Seq{0}, std::move(out)});
}

}  // namespace turnlog
