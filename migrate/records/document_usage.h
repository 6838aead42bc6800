// The usage in documents with a list of messages: a response says what it has cost.
#pragma once

#include <memory>

#include "migrate/records/openai_response.h"
#include "migrate/usage/usage_reader.h"

namespace turnlog {

// `read`: the form of the numbers.
template <TokenUsage (*read)(const JsonObject& usage)>
class DocumentUsage final : public UsageReader {
 public:
  bool Wants(std::string_view text) const override { return text.contains("\"usage\""); }
  void Read(const JsonObject& record, const UsageSink& sink) override { ReadDocument(record, sink); }
  void ReadDocument(const JsonObject& document, const UsageSink& sink) override {
    MessageUsage usage{.message = document.String("id").value_or(""),
                       .model = document.String("model").value_or(""),
                       .time = TimeOfResponse(document.text()),
                       .tokens = read(document.Object("usage"))};
    if (usage.tokens.total() > 0) sink(std::move(usage));
  }
};

template <TokenUsage (*read)(const JsonObject& usage)>
std::unique_ptr<UsageReader> ReadDocumentUsage() {
  return std::make_unique<DocumentUsage<read>>();
}

}  // namespace turnlog
