#include "sanitize/redaction/redaction_record.h"

#include <utility>
#include <vector>

namespace turnlog {
namespace {

std::vector<SeqRange> RangesOf(const std::set<Seq>& seqs) {
  std::vector<SeqRange> ranges;
  for (const Seq seq : seqs) {
    if (!ranges.empty() && ranges.back().last.value + 1 == seq.value) {
      ranges.back().last = seq;
    } else {
      ranges.push_back({seq, seq});
    }
  }
  return ranges;
}

}  // namespace

Event MakeRedactionEvent(Timestamp time, std::string by, const std::map<std::string, std::set<Seq>>& rules) {
  RedactionRecord record{.by = std::move(by)};
  std::set<Seq> all;
  for (const auto& [rule, seqs] : rules) {
    all.insert(seqs.begin(), seqs.end());
    record.rules.push_back({rule, seqs.size(), RangesOf(seqs), {}});
  }
  record.events = all.size();
  Event event;
  event.body = std::move(record);
  event.timestamp = time;
  return event;
}

}  // namespace turnlog
