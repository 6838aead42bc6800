// Conversations as documents: for people as Markdown, and as HTML that needs no script; for an agent that goes on with
// the work as a handoff. Contents cannot do anything in them, whatever they are; presumed secrets are left out and
// counted. docs/formats/transcripts.md describes both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/conversation_part.h"
#include "turnlog/damage.h"
#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

enum class TranscriptFormat : std::uint8_t {
  kMarkdown,
  kHtml,
  kHandoff,  // Markdown: what is open, requests, decisions, files touched, the last turns
};

// A handoff of any conversation fits into a budget from this one on.
inline constexpr std::uint64_t kSmallestHandoffBudget = 500;

struct TranscriptOptions {
  bool keep_secrets = false;
  // kHandoff only: how many tokens it may have, by estimate; 0: no limit. What does not fit is left out.
  std::uint64_t budget = 0;
  // kHandoff only: what the conversation begins with a copy of, the oldest first, if the log has it only there.
  std::vector<ConversationPart> copied{};
  // HTML only: a page that has grown beyond this ends with its turn; 0: everything is on one page.
  std::size_t page_bytes = 0;
  // The file name of a page, from 1, for links between pages. Needed if there is more than one.
  std::function<std::string(std::size_t page)> page_name{};
};

struct TranscriptReport {
  std::size_t pages = 0;
  std::uint64_t turns = 0;
  std::uint64_t secrets = 0;   // places where presumed secrets were left out
  std::vector<Damage> damage;  // left out
  // kHandoff only:
  std::uint64_t tokens = 0;     // estimated
  std::uint64_t left_out = 0;   // entries, for the budget
  std::uint64_t shortened = 0;  // texts that have lost their middle
};

// Takes the next piece of a page; an error ends the transcript.
using TranscriptSink = std::function<Status(std::size_t page, std::string_view piece)>;

// The sanitized view. kNotFound: there is no such conversation. Memory: the longest turn, and the secrets;
// of a handoff also all requests and decisions. Unless secrets are kept, the conversation is read twice: what is found
// in it is left out wherever it is repeated.
Result<TranscriptReport> WriteTranscript(Log& log, const ConversationId& conversation, TranscriptFormat format,
                                         const TranscriptSink& sink, const TranscriptOptions& options = {});

}  // namespace turnlog
