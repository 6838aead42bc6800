// Plans of edits as JSON lines: one for each session that has any.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <utility>

#include "base/try.h"
#include "doctor/database_visit.h"
#include "doctor/found_secrets.h"
#include "doctor/mended_session.h"
#include "doctor/real_path.h"
#include "doctor/write_session.h"
#include "migrate/records/json_object.h"
#include "migrate/sources/find_sources.h"
#include "migrate/sqlite/database.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"
#include "turnlog/doctor/doctor.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kPlanVersion = 1;

void WriteEdits(const EditPass& pass, JsonWriter& json) {
  json.StartArray();
  for (const TextEdit& edit : pass) {
    json.StartArray();
    json.Unsigned(edit.begin);
    json.Unsigned(edit.end);
    json.String(edit.text);
    json.EndArray();
  }
  json.EndArray();
}

std::unexpected<Error> BadPlan(std::size_t line) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, fmt::format("line {}: not a line of a plan", line)});
}

std::optional<std::uint64_t> NumberOf(std::string_view token) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (token.empty() || error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return value;
}

// Edits in order that do not overlap.
std::optional<EditPass> ReadEdits(std::string_view json) {
  EditPass pass;
  std::uint64_t end = 0;
  for (const std::string_view edit : ElementsOf(json)) {
    const std::vector<std::string_view> fields = ElementsOf(edit);
    if (fields.size() != 3 || !IsJsonString(fields[2])) return std::nullopt;
    const auto from = NumberOf(fields[0]), to = NumberOf(fields[1]);
    if (!from || !to || *from < end || *to < *from) return std::nullopt;
    end = *to;
    pass.push_back({*from, *to, UnescapeJson(fields[2])});
  }
  return pass;
}

std::optional<SessionReport> ReadSession(std::string_view line) {
  const auto object = JsonObject::Parse(line);
  if (!object || NumberOf((*object)["doctor_plan"]) != kPlanVersion) return std::nullopt;
  const auto path = object->String("file"), format = object->String("format");
  const auto digest = object->String("digest"), mended = object->String("mended_digest");
  const auto size = NumberOf((*object)["size"]);
  if (!path || !format || !digest || !mended || !size) return std::nullopt;
  SessionReport session{.path = *path, .format = *format, .size = *size, .digest = *digest};
  session.mended_digest = *mended;
  session.session = object->String("session").value_or("");
  const std::string_view redacted = (*object)["redacted"];
  if (!redacted.empty() && !NumberOf(redacted)) return std::nullopt;
  session.redacted = NumberOf(redacted).value_or(0);
  for (const std::string_view edits : ElementsOf((*object)["passes"])) {
    auto pass = ReadEdits(edits);
    if (!pass || pass->empty()) return std::nullopt;
    session.passes.push_back(*std::move(pass));
  }
  return session;
}

Status ApplySession(SessionReport& report, const SourceVisitContext& context) {
  SourceFile file(report.path, true);
  const SessionFile session{.file = &file, .format = report.format};
  struct stat seen = {};
  if (::lstat(report.path.c_str(), &seen) != 0) seen = {};
  MendedSession mended(session, context.options, nullptr, nullptr);
  TURNLOG_TRY(mended.Apply(report.passes, report));
  return WriteMended(mended, seen, context.copies, context.options, report);
}

// Returns notes.
std::vector<std::string> ApplySessions(const fs::path& database, std::span<SessionReport* const> sessions,
                                       SourceVisitContext context) {
  const auto fail = [&](const Error& why) {
    for (SessionReport* session : sessions) session->problem = why;
    return std::vector<std::string>();
  };
  FoundSources found = FindSources({&database, 1}, nullptr);
  const bool is_known = found.sources.size() == 1 && found.sources.front().format->name == sessions.front()->format;
  if (!is_known) return fail({ErrorCode::kConflict, "no database of " + sessions.front()->format});
  FoundSource& source = found.sources.front();
  std::vector<ImportProblem> notes;
  Result<Source> loaded = LoadSource(source, notes);
  if (!loaded) return fail(loaded.error());
  if (!IsDatabase(*loaded)) return fail({ErrorCode::kConflict, "not a database"});
  source.file.reset();
  const auto secrets = SessionSecrets::Make();
  if (!secrets) return fail(secrets.error());
  context.secrets = &*secrets;
  return ApplyToDatabase(source, *std::move(loaded), context, sessions);
}

}  // namespace

std::string WritePlan(const DoctorReport& report) {
  std::string text;
  for (const SessionReport& session : report.sessions) {
    if (session.passes.empty()) continue;
    JsonWriter json(text);
    json.StartObject();
    json.Key("doctor_plan");
    json.Unsigned(kPlanVersion);
    json.Field("file", session.path.string());
    json.Field("format", session.format);
    if (!session.session.empty()) json.Field("session", session.session);
    if (session.redacted > 0) {
      json.Key("redacted");
      json.Unsigned(session.redacted);
    }
    json.Key("size");
    json.Unsigned(session.size);
    json.Field("digest", session.digest);
    json.Field("mended_digest", session.mended_digest);
    json.Key("passes");
    json.StartArray();
    for (const EditPass& pass : session.passes) WriteEdits(pass, json);
    json.EndArray();
    json.EndObject();
    text += '\n';
  }
  return text;
}

Result<std::vector<SessionReport>> ReadPlan(std::string_view text) {
  std::vector<SessionReport> sessions;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    auto session = ReadSession(line);
    if (!session) return BadPlan(number);
    sessions.push_back(*std::move(session));
  }
  return sessions;
}

std::vector<std::string> ApplyPlan(std::vector<SessionReport>& plan, const DoctorOptions& options) {
  std::vector<fs::path> paths;
  std::map<fs::path, std::vector<SessionReport*>> databases;
  for (SessionReport& session : plan) {
    paths.push_back(session.path);
    if (!session.session.empty()) databases[RealPath(session.path)].push_back(&session);
  }
  CopyPaths copies(paths, options.out);
  for (const fs::path& path : paths) copies.AddSource(path);
  DoctorOptions redacting = options;
  redacting.redact = true;
  // What a plan redacts is left in no backup.
  const auto with = [&](bool redacts) { return SourceVisitContext{copies, redacts ? redacting : options}; };
  for (SessionReport& session : plan) {
    if (!session.session.empty()) continue;
    if (const Status done = ApplySession(session, with(session.redacted > 0)); !done) {
      session.problem = done.error();
    }
  }
  std::vector<std::string> notes;
  for (const auto& [real, sessions] : databases) {
    const bool redacts = std::ranges::any_of(sessions, [](const auto* session) { return session->redacted > 0; });
    std::ranges::move(ApplySessions(sessions.front()->path, sessions, with(redacts)), std::back_inserter(notes));
  }
  for (SessionReport& session : plan) NoteUnwritten(options, session);
  return notes;
}

}  // namespace turnlog
