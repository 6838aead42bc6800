// Redacts answers to secret questions that an older writer recorded in clear, because the log refuses them.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "base/hash.h"
#include "migrate/sources/source_reader.h"
#include "schema/event/codec.h"
#include "schema/event/open_inquiries.h"

namespace turnlog {

// The answers of one conversation. REQUIRES: called for its events from the first on.
class SecretAnswers {
 public:
  // Takes the next event. True: it says something secret, which is an answer to a secret question of the same turn or
  // of an earlier one, or the default of such a question.
  bool IsSecret(EventKind kind, const InquiryLabel* inquiry);
  // Whether later responses may need redaction or close open inquiries.
  bool needed() const { return !open_.empty() || !open_.secrets().empty(); }

 private:
  OpenInquiries open_;
  std::uint64_t events_ = 0;
};

// Turns such an answer into `redacted`, without its reason, responder and source text; or removes such a default.
// REQUIRES: IsSecret said so of the event.
void RedactSecretAnswer(EventView& event);

// A reader that redacts such answers in the items of another reader.
class SecretAnswerFilter final : public SourceReader {
 public:
  // `asks`: becomes true when there is a question for a secret. Without one, the items are as they were.
  SecretAnswerFilter(std::unique_ptr<SourceReader> reader, bool& asks) : reader_(std::move(reader)), asks_(asks) {}
  Result<SourceItem> Next() override;

 private:
  Status Redact(SourceEvent& item);

  std::unique_ptr<SourceReader> reader_;
  bool& asks_;
  std::unordered_map<Hash128, SecretAnswers> conversations_;  // those with open or secret questions
};

}  // namespace turnlog
