#include "logctl/transcript_export.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/file_system.h"
#include "base/hash.h"
#include "base/try.h"
#include "logctl/text.h"
#include "turnlog/migrate/dialogue_parts.h"

namespace turnlog {
namespace {

// A page that a browser shows without delay.
constexpr std::size_t kPageBytes = std::size_t{1} << 20;

// Letters, digits, '-' and '_' as they are; everything else as %XX. A long name ends with a hash, so that it stays the
// only one.
std::string FileStem(std::string_view conversation) {
  std::string name;
  for (const char letter : conversation) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '-' || letter == '_';
    name += plain ? std::string(1, letter) : fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  }
  constexpr std::size_t kMaxStem = 200;
  if (name.size() > kMaxStem) {
    name = fmt::format("{}-{:016x}", name.substr(0, kMaxStem - 17), HashId(conversation, 0).low);
  }
  return name;
}

// In a link the % of a file name has to be escaped itself.
std::string LinkTo(std::string_view file) {
  std::string link;
  for (const char letter : file) link += letter == '%' ? "%25" : std::string(1, letter);
  return link;
}

// Collects a page, and writes it when the next one begins.
class PageFiles {
 public:
  PageFiles(std::filesystem::path folder, std::string stem, std::string ending)
      : folder_(std::move(folder)), stem_(std::move(stem)), ending_(std::move(ending)) {}

  std::string NameOf(std::size_t page) const { return stem_ + (page > 1 ? fmt::format(".{}", page) : "") + ending_; }

  Status Add(std::size_t page, std::string_view piece) {
    if (page != page_) TURNLOG_TRY(Finish());
    page_ = page;
    text_ += piece;
    return {};
  }

  Status Finish() {
    if (page_ == 0) return {};
    const std::filesystem::path path = folder_ / NameOf(page_);
    const std::string text = std::exchange(text_, {});
    if (!TURNLOG_TRY(Exists(PosixFileSystem(), path))) return WriteFile(PosixFileSystem(), path, text);
    if (ReadFile(PosixFileSystem(), path) == text) return {};
    return std::unexpected(
        Error{ErrorCode::kConflict,
              fmt::format("{} exists, with other contents: move it away, or write to another folder", path.string())});
  }

 private:
  const std::filesystem::path folder_;
  const std::string stem_, ending_;
  std::size_t page_ = 0;
  std::string text_;
};

Result<TranscriptReport> WriteToFolder(Log& log, const ConversationId& conversation, TranscriptFormat format,
                                       const std::filesystem::path& to, TranscriptOptions options) {
  TURNLOG_TRY(MakePrivateFolders(to));
  const bool html = format == TranscriptFormat::kHtml;
  const char* const ending = html ? ".html" : format == TranscriptFormat::kHandoff ? ".handoff.md" : ".md";
  PageFiles files(to, FileStem(conversation.text()), ending);
  if (html) {
    options.page_bytes = kPageBytes;
    options.page_name = [&](std::size_t page) { return LinkTo(files.NameOf(page)); };
  }
  const TranscriptSink sink = [&](std::size_t page, std::string_view piece) { return files.Add(page, piece); };
  TranscriptReport report = TURNLOG_TRY(WriteTranscript(log, conversation, format, sink, options));
  TURNLOG_TRY(files.Finish());
  return report;
}

// What the conversation begins with a copy of. Damage in it costs the conversation's own turns nothing.
Result<std::vector<ConversationPart>> FindCopied(Context& context, Log& log, const ConversationId& conversation) {
  auto parts = FindDialogueParts(log, conversation);
  if (parts) return parts->pop_back(), parts;
  if (parts.error().code != ErrorCode::kCorruption) return parts;
  context.messages.Note(fmt::format("{}: what it may have copied of another one is left out: {}", conversation.text(),
                                    parts.error().message));
  return std::vector<ConversationPart>();
}

}  // namespace

std::optional<TranscriptFormat> FindTranscriptFormat(std::string_view name) {
  if (name == "markdown") return TranscriptFormat::kMarkdown;
  if (name == "html") return TranscriptFormat::kHtml;
  if (name == "handoff") return TranscriptFormat::kHandoff;
  return std::nullopt;
}

Result<TranscriptReport> ExportTranscript(Context& context, Log& log, const ConversationId& conversation,
                                          TranscriptFormat format, const std::optional<std::string>& to,
                                          TranscriptOptions options) {
  if (format == TranscriptFormat::kHandoff) {
    options.copied = TURNLOG_TRY(FindCopied(context, log, conversation));
  }
  const TranscriptSink to_output = [&](std::size_t, std::string_view piece) -> Status {
    context.out.Write(piece);
    if (context.out.closed()) return std::unexpected(Error{ErrorCode::kIo, "standard output is closed"});
    return {};
  };
  auto report = to ? WriteToFolder(log, conversation, format, *to, options)
                   : WriteTranscript(log, conversation, format, to_output, options);
  if (!report) return report;
  for (const Damage& damage : report->damage) context.messages.Report(damage);
  if (report->secrets > 0) {
    context.messages.Note(fmt::format("{}: {} left out; --keep-secrets keeps them", conversation.text(),
                                      Counted(report->secrets, "presumed secret")));
  }
  if (report->left_out + report->shortened > 0) {
    context.messages.Note(fmt::format("{}: {} left out and {} shortened; {} tokens, estimated", conversation.text(),
                                      Counted(report->left_out, "part"), Counted(report->shortened, "text"),
                                      report->tokens));
  }
  return report;
}

}  // namespace turnlog
