#include "turnlog/transcript/transcript.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/printable.h"
#include "base/try.h"
#include "transcript/handoff.h"
#include "transcript/page_writer.h"
#include "transcript/turn_reader.h"

namespace turnlog {

std::string SafeLines(std::string_view text) {
  constexpr std::size_t kAnyWidth = std::size_t{1} << 40;
  std::string lines;
  bool first = true;
  WrapText(text, kAnyWidth, [&](std::string_view line) {
    if (!std::exchange(first, false)) lines.push_back('\n');
    lines += line;
    return true;
  });
  return lines;
}

namespace {

std::string Footer(const TurnsRead& read, const SecretFilter& filter) {
  std::string text = fmt::format("Turns: {}.", read.turns);
  if (filter.found() > 0) text += fmt::format(" Presumed secrets left out: {}.", filter.found());
  if (filter.keeps()) text += " Not searched for secrets.";
  if (!read.damage.empty()) text += fmt::format(" Damaged parts left out: {}.", read.damage.size());
  return text;
}

class Pages {
 public:
  Pages(std::string conversation, const PageWriter& writer, const TranscriptSink& sink,
        const TranscriptOptions& options)
      : conversation_(std::move(conversation)), writer_(writer), sink_(sink), options_(options) {}

  Status Add(const TranscriptTurn& turn) {
    const bool full = options_.page_bytes != 0 && written_ > options_.page_bytes;
    if (page_ != 0 && full) {
      TURNLOG_TRY(sink_(page_, writer_.End({}, Links(true))));
      written_ = 0;
    }
    TURNLOG_TRY(BeginPage());
    return Write(writer_.Turn(turn));
  }

  Status End(std::string_view footer) {
    TURNLOG_TRY(BeginPage());
    return sink_(page_, writer_.End(footer, Links(false)));
  }

  std::size_t count() const { return page_; }

 private:
  // If the last one is full, or there is none.
  Status BeginPage() {
    if (written_ != 0) return {};
    ++page_;
    return Write(writer_.Begin(conversation_, page_, Links(false)));
  }

  Status Write(std::string_view text) {
    written_ += text.size();
    return sink_(page_, text);
  }

  PageLinks Links(bool more) const {
    if (!options_.page_name) return {};
    return {page_ > 1 ? options_.page_name(page_ - 1) : "", more ? options_.page_name(page_ + 1) : ""};
  }

  const std::string conversation_;
  const PageWriter& writer_;
  const TranscriptSink& sink_;
  const TranscriptOptions& options_;
  std::size_t page_ = 0, written_ = 0;
};

Result<TranscriptReport> WritePages(Log& log, const ConversationId& conversation, const PageWriter& writer,
                                    SecretFilter& filter, const TranscriptSink& sink,
                                    const TranscriptOptions& options) {
  Pages pages(conversation.text(), writer, sink, options);
  TurnsRead read =
      TURNLOG_TRY(ReadTurns(log, conversation, filter, [&](const TranscriptTurn& turn) { return pages.Add(turn); }));
  TURNLOG_TRY(pages.End(Footer(read, filter)));
  return TranscriptReport{.pages = pages.count(), .turns = read.turns, .damage = std::move(read.damage)};
}

Result<TranscriptReport> WriteForAgent(Log& log, const ConversationId& conversation, SecretFilter& filter,
                                       const TranscriptSink& sink, const TranscriptOptions& options) {
  HandoffFold fold;
  TurnsRead read;
  for (const ConversationPart& part : options.copied) {
    const auto add = [&](TranscriptTurn turn) {
      turn.conversation = part.conversation.text();
      fold.Add(std::move(turn));
      return Status();
    };
    TurnsRead copied = TURNLOG_TRY(ReadTurns(log, part.conversation, filter, add, part.last));
    read.turns += copied.turns;
    std::ranges::move(copied.damage, std::back_inserter(read.damage));
  }
  TurnsRead own = TURNLOG_TRY(ReadTurns(log, conversation, filter, [&](TranscriptTurn turn) {
    fold.Add(std::move(turn));
    return Status();
  }));
  read.turns += own.turns;
  std::ranges::move(own.damage, std::back_inserter(read.damage));
  const HandoffText text =
      WriteHandoff(conversation.text(), std::move(fold).Take(), options.budget, Footer(read, filter));
  TURNLOG_TRY(sink(1, text.text));
  return TranscriptReport{.pages = 1,
                          .turns = read.turns,
                          .damage = std::move(read.damage),
                          .tokens = text.tokens,
                          .left_out = text.left_out,
                          .shortened = text.shortened};
}

}  // namespace

Result<TranscriptReport> WriteTranscript(Log& log, const ConversationId& conversation, TranscriptFormat format,
                                         const TranscriptSink& sink, const TranscriptOptions& options) {
  SecretFilter filter = TURNLOG_TRY(SecretFilter::Make(options.keep_secrets));
  for (const ConversationPart& part : options.copied) (void)TURNLOG_TRY(filter.Learn(log, part.conversation));
  (void)TURNLOG_TRY(filter.Learn(log, conversation));
  const auto writer = format == TranscriptFormat::kHtml ? HtmlWriter() : MarkdownWriter();
  TranscriptReport report =
      TURNLOG_TRY(format == TranscriptFormat::kHandoff ? WriteForAgent(log, conversation, filter, sink, options)
                                                       : WritePages(log, conversation, *writer, filter, sink, options));
  report.secrets = filter.found();
  return report;
}

}  // namespace turnlog
