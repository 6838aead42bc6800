// What the rows of a session of the OpenAI Agents SDK mean.
#pragma once

#include "migrate/openai/converter.h"
#include "migrate/records/record_source.h"

namespace turnlog {

class AgentsRowConverter final : public RecordConverter {
 public:
  // A message in several branches is one record, because its id is that of its row.
  RecordHead Head(const JsonObject& record) const override;
  void Convert(const JsonObject& record, RecordEvents& events) override;

 private:
  OpenAiConverter items_;
};

}  // namespace turnlog
