#include "providers/findings.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/count_lines.h"
#include "schema/json/json_pointers.h"

namespace turnlog {
namespace {

auto Key(const ProviderFinding& finding) { return std::tuple(finding.byte, finding.rule, finding.detail); }

}  // namespace

void Findings::Add(RuleId rule, const JsonNode& at, std::string detail) {
  found_.push_back({.rule = &RuleOf(rule),
                    .pointer = {},
                    .byte = static_cast<std::uint64_t>(at.text.data() - request_.data()),
                    .detail = std::move(detail)});
}

std::vector<ProviderFinding> Findings::Take() && {
  std::ranges::sort(found_, {}, Key);
  const auto copies = std::ranges::unique(found_, {}, Key);
  found_.erase(copies.begin(), copies.end());
  std::vector<std::size_t> offsets;
  for (const ProviderFinding& finding : found_) offsets.push_back(finding.byte);
  std::vector<std::string> pointers =
      JsonPointers(request_, offsets).value_or(std::vector<std::string>(offsets.size()));
  std::uint64_t line = 1;
  std::size_t counted = 0;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    line += CountLines(request_.substr(counted, offsets[i] - counted));
    counted = offsets[i];
    found_[i].line = line;
    found_[i].pointer = std::move(pointers[i]);
  }
  return std::move(found_);
}

}  // namespace turnlog
