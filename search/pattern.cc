#include "search/pattern.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/filtered_re2.h>
#include <re2/re2.h>
#include <string.h>  // NOLINT(modernize-deprecated-headers): memmem is not in the C++ one

#include <algorithm>
#include <utility>

namespace turnlog {
namespace {

RE2::Options MatcherOptions(const SearchPattern& pattern) {
  RE2::Options options;
  options.set_literal(!pattern.regex);
  options.set_case_sensitive(!pattern.ignore_case);
  options.set_never_nl(true);
  options.set_log_errors(false);
  return options;
}

bool Contains(std::string_view text, std::string_view needle) {
  return ::memmem(text.data(), text.size(), needle.data(), needle.size()) != nullptr;
}

// JSON fields are stored as JSON text, where some characters are escaped. Returns the longest part of `text` without
// such characters: it is stored unchanged unless the writer used \u escapes.
std::string_view LongestPlainPart(std::string_view text) {
  std::string_view longest;
  while (!text.empty()) {
    const auto special = [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == '/';
    };
    const auto length = static_cast<std::size_t>(std::ranges::find_if(text, special) - text.begin());
    if (length > longest.size()) longest = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return longest;
}

// Lower-case texts of which every match contains at least one; empty if there is no such set.
std::vector<std::string> RequiredTexts(const SearchPattern& pattern) {
  constexpr int kShortest = 3;
  re2::FilteredRE2 filter(kShortest);
  int id = 0;
  std::vector<std::string> texts;
  if (filter.Add(pattern.text, MatcherOptions(pattern), &id) == RE2::NoError) filter.Compile(&texts);
  return texts;
}

// Matches any of `texts`, ignoring case; null if one of them has no plain part.
std::unique_ptr<RE2> AnyOf(const std::vector<std::string>& texts) {
  constexpr std::size_t kMany = 32;  // with more, this is not faster than the expression itself
  std::vector<std::string> parts;
  for (const std::string& text : texts) {
    const std::string_view part = LongestPlainPart(text);
    if (part.empty()) return nullptr;
    parts.push_back(RE2::QuoteMeta(re2::StringPiece(part.data(), part.size())));
  }
  if (parts.empty() || parts.size() > kMany) return nullptr;
  RE2::Options options;
  options.set_case_sensitive(false);
  options.set_log_errors(false);
  auto any = std::make_unique<RE2>(fmt::format("{}", fmt::join(parts, "|")), options);
  return any->ok() ? std::move(any) : nullptr;
}

}  // namespace

Pattern::Pattern() = default;
Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;

Result<Pattern> Pattern::Compile(const SearchPattern& pattern) {
  if (pattern.text.find('\n') != std::string::npos) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument, "the pattern contains a line break, but is matched against single lines"});
  }
  Pattern result;
  // ^ and $ match at line breaks.
  const std::string text = pattern.regex ? "(?m)" + pattern.text : pattern.text;
  result.matcher_ = std::make_unique<RE2>(text, MatcherOptions(pattern));
  if (!result.matcher_->ok()) {
    // Without what was put before it, which the error would quote.
    const RE2 given(pattern.text, MatcherOptions(pattern));
    const RE2& wrong = given.ok() ? *result.matcher_ : given;
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument, fmt::format("not a regular expression: {}", wrong.error())});
  }
  if (pattern.regex) {
    result.needles_ = AnyOf(RequiredTexts(pattern));
  } else if (pattern.ignore_case) {
    result.needles_ = AnyOf({pattern.text});
  } else if (const std::string_view part = LongestPlainPart(pattern.text); !part.empty()) {
    result.needle_ = part;
  }
  return result;
}

bool Pattern::MayBeIn(std::string_view payload) const {
  if (needle_) return Contains(payload, *needle_) || Contains(payload, "\\u");
  if (needles_ == nullptr) return true;
  return RE2::PartialMatch(re2::StringPiece(payload.data(), payload.size()), *needles_) || Contains(payload, "\\u");
}

void Pattern::ForEachLine(std::string_view text, const OnLine& on_line) const {
  const re2::StringPiece whole(text.data(), text.size());
  std::vector<MatchSpan> matches;
  std::size_t begin = 0, end = 0;  // of the current line, if `found`
  bool found = false;
  for (std::size_t at = 0; at <= text.size();) {
    re2::StringPiece match;
    if (!matcher_->Match(whole, at, text.size(), RE2::UNANCHORED, &match, 1)) break;
    const auto first = static_cast<std::size_t>(match.data() - text.data());
    if (found && first > end) {
      if (!on_line(text.substr(begin, end - begin), std::exchange(matches, {}))) return;
      found = false;
    }
    if (!found) {
      begin = first == 0 ? 0 : text.rfind('\n', first - 1) + 1;  // npos + 1 is 0
      end = std::min(text.find('\n', first), text.size());
      found = true;
    }
    if (!match.empty()) matches.push_back({first - begin, first - begin + match.size()});
    at = match.empty() ? first + 1 : first + match.size();
  }
  if (found) (void)on_line(text.substr(begin, end - begin), std::move(matches));
}

}  // namespace turnlog
