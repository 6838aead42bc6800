// What the rows of a session of the OpenAI Agents SDK mean.
#pragma once

#include <string>
#include <utility>

#include "migrate/openai/converter.h"
#include "migrate/records/record_source.h"

namespace turnlog {

class AgentsRowConverter final : public RecordConverter {
 public:
  // `id_prefix`: of the rows' ids, which are those of a table.
  explicit AgentsRowConverter(std::string id_prefix = {}) : id_prefix_(std::move(id_prefix)) {}

  // A message in several branches is one record, because its id is that of its row.
  RecordHead Head(const JsonObject& record) const override;
  void Convert(const JsonObject& record, RecordEvents& events) override;

 private:
  const std::string id_prefix_;
  OpenAiConverter items_;
};

// Whether both are the same row of a message, kept as it is, with or without its row in message_structure: the SDK
// writes that after the message.
bool DifferOnlyInStructure(const EventView& one, const EventView& other);
// What a row says wherever its message belongs.
std::string MeaningOfRow(std::string_view record);

}  // namespace turnlog
