// Erasing and redacting in shorthand, for any fixture with a log: the same calls are tested for each engine and for the
// bytes of the store.
#pragma once

#include <string_view>
#include <vector>

#include "tests/store/log_fixture.h"
#include "turnlog/json.h"

namespace turnlog {

inline constexpr std::string_view kPlanted = "correct-horse-battery-staple";

inline Event RedactionEvent(std::string_view json = R"({"type":"redaction","by":"test"})") {
  return {.body = Verbatim{.kind = EventKind::kRedaction, .tag = "redaction", .json = *ParseJson(json)}};
}

struct Change {
  std::uint64_t seq = 0;
  Event event;
};

// REQUIRES: `Base` has a member `log_`.
template <class Base>
class Destroying : public Base {
 protected:
  Result<EraseReport> Erase(std::string_view conversation, const std::vector<std::uint64_t>& seqs,
                            const EraseOptions& options = {}) {
    std::vector<Seq> wanted;
    for (const std::uint64_t seq : seqs) wanted.push_back({seq});
    return this->log_->Erase(Id(conversation), wanted, options);
  }

  Result<RedactReport> Redact(std::string_view conversation, const std::vector<Change>& changes,
                              const RedactOptions& options = {}) {
    std::vector<Replacement> replacements;
    replacements.reserve(changes.size());
    for (const Change& change : changes) replacements.push_back({{change.seq}, View(change.event)});
    const Event redaction = RedactionEvent();
    return this->log_->Redact(Id(conversation), replacements, View(redaction), options);
  }
};

}  // namespace turnlog
