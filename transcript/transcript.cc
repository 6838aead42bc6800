#include "turnlog/transcript/transcript.h"

#include <fmt/format.h>

#include <utility>

#include "base/printable.h"
#include "base/try.h"
#include "transcript/page_writer.h"
#include "transcript/turn_reader.h"
#include "turnlog/event_walk.h"

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

class Transcript {
 public:
  Transcript(std::string conversation, const PageWriter& writer, SecretFilter& filter, const TranscriptSink& sink,
             const TranscriptOptions& options)
      : conversation_(std::move(conversation)),
        writer_(writer),
        filter_(filter),
        sink_(sink),
        options_(options),
        reader_(filter) {}

  Status Add(const Item& item) {
    if (const auto* damage = std::get_if<Damage>(&item)) report_.damage.push_back(*damage);
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) return {};
    const auto event = record->Decode();
    if (!event) {
      report_.damage.push_back({{}, 0, 0, conversation_, record->seq.value, event.error().message});
      return {};
    }
    if (event->kind() == EventKind::kTurnStart) {
      TURNLOG_TRY(EndTurn(true));
      ++report_.turns;
    }
    reader_.Add(*record, *event);
    return {};
  }

  Result<TranscriptReport> End() {
    TURNLOG_TRY(EndTurn(false));
    TURNLOG_TRY(BeginPage());
    report_.secrets = filter_.found();
    report_.pages = page_;
    TURNLOG_TRY(sink_(page_, writer_.End(Footer(), Links(false))));
    return std::move(report_);
  }

 private:
  Status EndTurn(bool over) {
    const TranscriptTurn turn = reader_.Take(over);
    if (turn.entries.empty()) return {};
    const bool full = options_.page_bytes != 0 && written_ > options_.page_bytes;
    if (page_ != 0 && full) {
      TURNLOG_TRY(sink_(page_, writer_.End({}, Links(true))));
      written_ = 0;
    }
    TURNLOG_TRY(BeginPage());
    return Write(writer_.Turn(turn));
  }

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

  std::string Footer() const {
    std::string text = fmt::format("Turns: {}.", report_.turns);
    if (report_.secrets > 0) text += fmt::format(" Presumed secrets left out: {}.", report_.secrets);
    if (filter_.keeps()) text += " Not searched for secrets.";
    if (!report_.damage.empty()) text += fmt::format(" Damaged parts left out: {}.", report_.damage.size());
    return text;
  }

  const std::string conversation_;
  const PageWriter& writer_;
  SecretFilter& filter_;
  const TranscriptSink& sink_;
  const TranscriptOptions& options_;
  TurnReader reader_;
  TranscriptReport report_;
  std::size_t page_ = 0, written_ = 0;
};

}  // namespace

Result<TranscriptReport> WriteTranscript(Log& log, const ConversationId& conversation, TranscriptFormat format,
                                         const TranscriptSink& sink, const TranscriptOptions& options) {
  SecretFilter filter = TURNLOG_TRY(SecretFilter::Make(options.keep_secrets));
  const auto writer = format == TranscriptFormat::kHtml ? HtmlWriter() : MarkdownWriter();
  const auto cursor = TURNLOG_TRY(log.Read(conversation));
  Transcript transcript(conversation.text(), *writer, filter, sink, options);
  const auto visit = [&](const Item& item) -> Result<Walk> {
    TURNLOG_TRY(transcript.Add(item));
    return Walk::kOn;
  };
  TURNLOG_TRY(WalkItems(*cursor, visit));
  return transcript.End();
}

}  // namespace turnlog
