#include "migrate/logged/redacted_parts.h"

#include <algorithm>
#include <utility>

#include "migrate/logged/removed_texts.h"
#include "sanitize/redaction/redacted_text.h"

namespace turnlog {
namespace {

// Redacting JSON puts quotes around the mark of a number, and numbers equal keys (docs/redaction.md): only the marks.
std::string WithBareMarks(std::string_view redacted) {
  std::string bare;
  for (std::size_t mark; (mark = redacted.find(kRedactionMark)) != std::string_view::npos;) {
    std::string_view after = redacted.substr(mark + kRedactionMark.size());
    const bool quoted = mark > 0 && redacted[mark - 1] == '"' && after.starts_with('"');
    bare.append(redacted.substr(0, quoted ? mark - 1 : mark)).append(kRedactionMark);
    if (after.starts_with('#')) after.remove_prefix(std::min(after.find_first_not_of("0123456789", 1), after.size()));
    redacted = after.substr(quoted ? 1 : 0);
  }
  return bare.append(redacted);
}

// The numbers and words of JSON outside of its strings.
std::vector<std::string_view> ScalarsOf(std::string_view json) {
  std::vector<std::string_view> scalars;
  const auto in_scalar = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' ||
           c == '.';
  };
  for (std::size_t at = 0; at < json.size();) {
    std::size_t end = at + 1;
    if (json[at] == '"') {
      while (end < json.size() && json[end] != '"') end += json[end] == '\\' ? 2 : 1;
      ++end;
    } else if (in_scalar(json[at])) {
      while (end < json.size() && in_scalar(json[end])) ++end;
      scalars.push_back(json.substr(at, end - at));
    }
    at = end;
  }
  return scalars;
}

// `text` with those numbers and words of `form` that may be redacted ones, if it has as many.
std::string WithRedactedScalars(std::string_view form, std::string_view text) {
  const std::vector<std::string_view> redacted = ScalarsOf(form), original = ScalarsOf(text);
  if (redacted.size() != original.size()) return std::string(text);
  std::string out;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < original.size(); ++i) {
    if (redacted[i] != "0" && redacted[i] != "false" && redacted[i] != "null") continue;
    const auto begin = static_cast<std::size_t>(original[i].data() - text.data());
    out.append(text.substr(copied, begin - copied)).append(redacted[i]);
    copied = begin + original[i].size();
  }
  return out.append(text.substr(copied));
}

// Whether `text` may be the text that `form` was made from.
bool IsRedactedFormOf(std::string_view form, std::string_view source) {
  const bool json = form.starts_with('{') || form.starts_with('[');
  const std::string changed = json ? WithRedactedScalars(form, source) : std::string();
  return RemovedTexts(WithBareMarks(form), json ? std::string_view(changed) : source).has_value();
}

}  // namespace

void RedactedParts::Add(const ImportRecord& record, bool redacted) {
  if (!redacted && !record.redacted && parts_.empty() && !source_) return;
  const auto shows = [&](const std::string& text) { return text.contains(kRedactionMark); };
  if (shows(record.source)) source_ = record.source;
  for (const auto& [name, bytes] : record.parts) {
    const bool is_redacted = shows(bytes) || record.redacted_parts.contains(name);
    if (is_redacted || shows(name)) parts_[name] = {bytes, is_redacted};
  }
}

// The redacted form of the part with this name; changes `name` if the name itself is redacted.
const std::string* RedactedParts::FormOf(std::string& name, SamePart same_part) const {
  auto found = parts_.find(name);
  if (found == parts_.end()) {
    found = std::ranges::find_if(parts_, [&](const auto& part) {
      return (same_part != nullptr && same_part(part.first, name)) ||
             (part.first.contains(kRedactionMark) && IsRedactedFormOf(part.first, name));
    });
  }
  if (found == parts_.end()) return nullptr;
  name = found->first;
  return found->second.redacted ? &found->second.bytes : nullptr;
}

std::vector<std::string> RedactedParts::Apply(ImportRecord& record, SamePart same_part) const {
  std::vector<std::string> outside;
  const auto keep = [&](const std::string& name, const std::string& form, std::string& text) {
    if (form != text && !IsRedactedFormOf(form, text)) outside.push_back(name);
    text = form;
    record.redacted = true;
  };
  if (source_) keep("the name of the source", *source_, record.source);
  std::map<std::string, std::string> parts;
  for (auto& [name, bytes] : record.parts) {
    std::string kept = name;
    const std::string* form = FormOf(kept, same_part);
    if (kept != name) record.redacted = true;
    if (form != nullptr) {
      keep(kept, *form, bytes);
      record.redacted_parts.insert(kept);
    }
    parts.insert_or_assign(std::move(kept), std::move(bytes));
  }
  record.parts = std::move(parts);
  return outside;
}

}  // namespace turnlog
