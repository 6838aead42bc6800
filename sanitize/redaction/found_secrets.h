// In which events each value was found, for the report.
#pragma once

#include <map>
#include <vector>

#include "sanitize/redaction/redaction_state.h"

namespace turnlog {

class FoundSecrets {
 public:
  void Add(ValueNumber value, const ConversationId& conversation, const Record& record);
  // Of later conversations.
  void Add(FoundSecrets later);
  std::vector<RedactedSecret> Take(const RedactionState& state) &&;

 private:
  std::map<ValueNumber, RedactedSecret> found_;
};

}  // namespace turnlog
