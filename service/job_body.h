// What a job is to do: the body of the request that begins it. It may hold values to redact, so it is read where it
// lies.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret_string.h"
#include "turnlog/redaction/redact.h"
#include "turnlog/result.h"
#include "turnlog/types.h"

namespace turnlog {

struct JobBody {
  std::string kind;
  std::vector<ConversationId> conversations;  // sanitize, scavenge: none: all
  std::string profile = "strict";             // sanitize
  bool close_open = false;                    // sanitize
  bool all = false;                           // sanitize, redact: also what has not changed
  bool dry_run = false;                       // sanitize, scavenge, redact
  bool report = false;                        // scavenge, redact: the result is the whole report
  bool secrets = false, detect = false;       // redact
  std::vector<InquiryToRedact> inquiries;     // redact
  std::vector<SecretString> values;           // redact
  std::vector<AcceptedFinding> accepted;      // redact
  std::string rules_file;                     // redact: the name of a file of rules, for messages
  std::optional<std::string> rules_text;      // redact: what it contains
  std::string by;                             // redact: who, for the record
};

// kInvalidArgument: no JSON object, a field that this kind of job does not have, or one of the wrong type; the message
// quotes no value.
Result<JobBody> ReadJobBody(std::string_view json);

}  // namespace turnlog
