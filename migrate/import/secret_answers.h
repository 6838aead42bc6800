// Answers to secret questions that an older writer recorded in clear. The log refuses them, so importers redact them.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "base/hash.h"
#include "migrate/import/source_reader.h"
#include "schema/event/open_inquiries.h"

namespace turnlog {

// Of one conversation, told of its events from the first on.
class SecretAnswers {
 public:
  // Turns an answer to a secret question of the same turn into `redacted`, without its reason, responder and source
  // text, and says whether it did.
  bool Redact(EventView& event);
  // Whether a later response of this turn may have to be redacted, or may close what is open.
  bool needed() const { return !open_.empty() || !open_.secrets().empty(); }

 private:
  OpenInquiries open_;
  std::uint64_t events_ = 0;
};

// The items of another reader without such answers.
class SecretAnswerFilter final : public SourceReader {
 public:
  explicit SecretAnswerFilter(std::unique_ptr<SourceReader> reader) : reader_(std::move(reader)) {}
  Result<SourceItem> Next() override;

 private:
  void Redact(SourceEvent& item);

  std::unique_ptr<SourceReader> reader_;
  std::unordered_map<Hash128, SecretAnswers> conversations_;  // in which a turn has open or secret questions
};

}  // namespace turnlog
