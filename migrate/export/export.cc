#include "turnlog/migrate/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/file_system.h"
#include "base/try.h"
#include "migrate/concerns_log.h"
#include "migrate/export/ordered_output.h"
#include "migrate/format.h"
#include "migrate/logged/source_outcome.h"
#include "migrate/requests/export_dialogue.h"
#include "migrate/requests/request_writer.h"

namespace turnlog {
namespace {

std::unexpected<Error> Unknown(std::string_view format, std::string_view what) {
  return std::unexpected(
      Error{ErrorCode::kInvalidArgument, fmt::format("{}: not a format for exporting {}", format, what)});
}

Status CheckLayout(const Format& format, const ExportOptions& options) {
  if (options.layout == ExportLayout::kImported || format.has_layouts) return {};
  return std::unexpected(Error{ErrorCode::kInvalidArgument, fmt::format("{} has one layout only", format.name)});
}

constexpr unsigned kMostThreads = 8;  // by default
constexpr std::size_t kMostInABlock = 64;

using StreamExport = std::function<Status(const ConversationId&, const ExportSink&, ExportReport&)>;

template <class ExportOne>
Result<ExportReport> ExportEach(std::span<const ConversationId> conversations, ExportOne&& export_one) {
  ExportReport report;
  for (const ConversationId& conversation : conversations) {
    const Status status = export_one(conversation, report);
    if (!status && ConcernsLog(status.error().code)) return std::unexpected(status.error());
    if (status) {
      ++report.conversations;
    } else {
      report.failures.push_back({conversation.text(), status.error()});
    }
  }
  return report;
}

void Append(ExportReport&& more, ExportReport& report) {
  report.conversations += more.conversations;
  std::ranges::move(more.damage, std::back_inserter(report.damage));
  std::ranges::move(more.failures, std::back_inserter(report.failures));
  report.left_out += more.left_out;
  std::ranges::move(more.changes, std::back_inserter(report.changes));
}

// Exports conversations on several threads, in their order.
class ParallelExport {
 public:
  ParallelExport(std::span<const ConversationId> conversations, const ExportSink& sink, const StreamExport& export_one,
                 unsigned threads)
      : conversations_(conversations),
        block_length_(std::clamp<std::size_t>(conversations.size() / threads / 8, 1, kMostInABlock)),
        output_(sink),
        export_one_(export_one),
        threads_(threads) {
    reports_.resize((conversations.size() + block_length_ - 1) / block_length_);
  }

  Result<ExportReport> Run() {
    {
      std::vector<std::jthread> others;
      try {
        while (others.size() + 1 < std::min<std::size_t>(threads_, reports_.size())) {
          others.emplace_back([this] { Work(); });
        }
      } catch (const std::system_error&) {  // there are fewer threads
      }
      Work();
    }
    ExportReport all;
    for (Result<ExportReport>& report : reports_) Append(TURNLOG_TRY(std::move(report)), all);
    return all;
  }

 private:
  void Work() {
    for (std::size_t number; (number = next_++) < reports_.size();) {
      OrderedOutput::Block block(output_, number);
      reports_[number] = Export(block, number);
      const Status written = block.End(reports_[number].has_value());
      if (reports_[number] && !written) reports_[number] = std::unexpected(written.error());
    }
  }

  Result<ExportReport> Export(OrderedOutput::Block& block, std::size_t number) {
    if (output_.failed()) return std::unexpected(Error{ErrorCode::kIo, "another conversation could not be written"});
    bool unwritten = false;
    const ExportSink sink = [&](std::string_view piece) {
      Status status = block.Write(piece);
      unwritten = unwritten || !status;
      return status;
    };
    const std::size_t first = number * block_length_;
    const auto own = conversations_.subspan(first, std::min(block_length_, conversations_.size() - first));
    return ExportEach(own, [&](const ConversationId& conversation, ExportReport& report) -> Status {
      const Status status = export_one_(conversation, sink, report);
      if (unwritten && !status) return std::unexpected(Error{ErrorCode::kIo, status.error().message});
      return status;
    });
  }

  const std::span<const ConversationId> conversations_;
  const std::size_t block_length_;  // conversations that one thread exports in a row
  OrderedOutput output_;
  const StreamExport& export_one_;
  const unsigned threads_;
  std::vector<Result<ExportReport>> reports_;  // of the blocks
  std::atomic<std::size_t> next_ = 0;
};

}  // namespace

Result<ExportReport> ExportToStream(Log& log, std::string_view format, std::span<const ConversationId> conversations,
                                    const ExportSink& sink, const ExportOptions& options) {
  const Format* known = FindFormat(format);
  const auto provider = options.raw ? std::nullopt : FindProvider(format);
  if (!provider && (known == nullptr || known->export_to_stream == nullptr)) return Unknown(format, "to a stream");
  if (!provider) TURNLOG_TRY(CheckLayout(*known, options));
  const StreamExport export_one = [&](const ConversationId& conversation, const ExportSink& to, ExportReport& report) {
    return provider ? ExportDialogue(log, WriterFor(*provider), conversation, to, options, report)
                    : known->export_to_stream(log, conversation, to, options, report);
  };
  const unsigned processors = std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
  const unsigned threads = options.threads > 0 ? options.threads : processors;
  return ParallelExport(conversations, sink, export_one, threads).Run();
}

Result<ExportReport> ExportToFolder(Log& log, std::string_view format, std::span<const ConversationId> conversations,
                                    const std::filesystem::path& to, const ExportOptions& options) {
  const Format* known = FindFormat(format);
  if (known == nullptr || known->export_to_folder == nullptr) return Unknown(format, "to a folder");
  TURNLOG_TRY(CheckLayout(*known, options));
  TURNLOG_TRY(MakePrivateFolders(to));
  return ExportEach(conversations, [&](const ConversationId& conversation, ExportReport& books) {
    return known->export_to_folder(log, conversation, to, options, books);
  });
}

Result<bool> IsImportSource(Log& log, const std::filesystem::path& path) {
  for (std::filesystem::path part = path; !part.empty(); part = part.parent_path()) {
    if (TURNLOG_TRY(FindOutcome(log, part))) return true;
    if (part == part.parent_path()) break;
  }
  return false;
}

}  // namespace turnlog
