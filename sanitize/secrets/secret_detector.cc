#include "sanitize/secrets/secret_detector.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/try.h"
#include "sanitize/secrets/compiled_rules.h"
#include "sanitize/secrets/emphasis.h"
#include "sanitize/secrets/key_block.h"
#include "sanitize/secrets/layers.h"
#include "sanitize/secrets/named_value.h"
#include "sanitize/secrets/secret_checks.h"

namespace turnlog {
namespace {

constexpr std::size_t kMinSecret = 16;  // the shortest secret that is searched for in base64
// After a rejected match that is longer, the search continues at its end instead of its second byte, and names within
// a value that is longer are not tried: linear time.
constexpr std::size_t kLong = 1024;

std::vector<FoundSecret> Merge(std::vector<FoundSecret> found) {
  std::ranges::sort(found, {}, [](const FoundSecret& each) { return std::pair(each.span.begin, each.rule); });
  std::vector<FoundSecret> merged;
  for (FoundSecret& each : found) {
    if (merged.empty() || merged.back().span.end <= each.span.begin) {
      merged.push_back(std::move(each));
      continue;
    }
    FoundSecret& last = merged.back();
    const TextSpan both = {last.span.begin, std::max(last.span.end, each.span.end)};
    if (each.rule < last.rule) last = std::move(each);
    last.span = both;
  }
  return merged;
}

constexpr std::size_t kEmphasis = 128;  // underscores are looked for so far around a window
// Keywords are searched for so far into base64 of text: longer ones cannot begin there.
constexpr std::size_t kMaxKeyword = 128;

// Tries the rules on one layer.
class LayerSearch {
 public:
  LayerSearch(const CompiledRules& rules, Layer& layer, std::vector<FoundSecret>& found)
      : rules_(rules), layer_(layer), text_(layer.text()), found_(found) {}

  void Run() {
    std::size_t from = 0;
    for (const TextSpan& encoded : layer_.encoded_texts()) {
      FindKeywords(from, encoded.begin + kMaxKeyword);
      from = encoded.end - kMaxKeyword;
    }
    FindKeywords(from, text_.size());
    for (const Window& window : windows_) SearchIn(window);
  }

 private:
  // A match that reaches the end of a part of the text may go on after it.
  void NoteEnd(std::size_t end) {
    if (end >= text_.size()) layer_.AskForMore();
  }

  struct Window {
    TextSpan span;
    CompiledRules::Use use;
  };

  void FindKeywords(std::size_t from, std::size_t to) {
    const auto on_keyword = [&](std::size_t keyword, TextSpan span) {
      layer_.NoteHit(span);
      std::optional<NamedValue> value;
      bool read = false;
      for (const CompiledRules::Use& use : rules_.UsesOf(keyword)) {
        const CompiledRule& rule = rules_.rules()[use.rule];
        if (rule.rule().named) {
          if (!std::exchange(read, true)) value = ReadValue(span);
          if (value) TryNamed(use, rule, *value);
        } else if (rule.rule().anchored) {
          TryAt(use, rule, span.begin);
        } else {
          AddWindow(use, span);
        }
      }
    };
    rules_.finder().ForEach(text_.substr(0, to), on_keyword, from);
  }

  std::optional<NamedValue> ReadValue(TextSpan keyword) {
    if (keyword.begin < end_of_long_value_) return std::nullopt;
    std::optional<NamedValue> value = ReadNamedValue(text_, keyword);
    if (value && value->value.size() > kLong) end_of_long_value_ = value->value.end;
    if (value) NoteEnd(value->value.end);
    if (value && text_[value->value.begin] == '_') {
      TextSpan& span = value->value;
      const TextSpan token = EmphasizedToken(text_.substr(span.begin, span.size()));
      if (token.size() > 0) span = {span.begin + token.begin, span.begin + token.end};
    }
    return value;
  }

  void TryNamed(const CompiledRules::Use& use, const CompiledRule& rule, const NamedValue& value) {
    if (value.value.begin < StateOf(use).done) return;
    const std::optional<TextSpan> secret = rule.MatchNamed(text_, value);
    if (secret && IsSecret(rule, *secret)) Add(use, *secret);
  }

  void TryAt(const CompiledRules::Use& use, const CompiledRule& rule, std::size_t at) {
    if (at < StateOf(use).done) return;
    if (!rule.MayBeginAt(text_, at)) return TryEmphasized(use, rule, at);
    TextSpan match;
    const auto secret = rule.Match(text_, {at, std::min(text_.size(), at + rule.rule().after)}, true, match);
    if (!secret) return;
    NoteEnd(match.end);
    if (rule.rule().check == SecretCheck::kKeyBlock) return TryKeyBlock(use, match);
    if (IsSecret(rule, *secret)) Add(use, *secret);
  }

  void TryEmphasized(const CompiledRules::Use& use, const CompiledRule& rule, std::size_t at) {
    if (at == 0 || text_[at - 1] != '_') return;
    const std::size_t before = text_.find_last_not_of('_', at - 1);
    const std::size_t begin = before == text_.npos ? 0 : before;  // with the letter before them
    const auto plain = WithoutEmphasis(text_.substr(begin, at - begin + rule.rule().after));
    if (!plain || !rule.MayBeginAt(plain->view(), at - begin)) return;
    TextSpan match;
    const auto secret = rule.Match(plain->view(), {at - begin, plain->size()}, true, match);
    if (secret) {
      const TextSpan span{begin + secret->begin, begin + secret->end};
      if (IsSecret(rule, span)) Add(use, span);
    }
  }

  void TryKeyBlock(const CompiledRules::Use& use, TextSpan header) {
    NoteEnd(header.end + kMaxKeyBlock);
    auto block = ReadKeyBlock(text_, header);
    if (!block) return;
    StateOf(use).done = block->span.end;
    found_.push_back({layer_.AtBottom(block->span), use.rule, use.keyword, std::move(block->key)});
  }

  // Merges windows of a rule that touch.
  void AddWindow(const CompiledRules::Use& use, TextSpan keyword) {
    const SecretRule& rule = rules_.rules()[use.rule].rule();
    const TextSpan span = {keyword.begin - std::min(keyword.begin, rule.before),
                           std::min(text_.size(), keyword.end + rule.after)};
    std::size_t& last = StateOf(use).windows;
    if (last > 0 && span.begin <= windows_[last - 1].span.end) {
      windows_[last - 1].span.end = std::max(windows_[last - 1].span.end, span.end);
    } else {
      windows_.push_back({span, use});
      last = windows_.size();
    }
  }

  void SearchIn(const Window& window) {
    SearchIn(window.use, text_, window.span, 0);
    const std::size_t begin = window.span.begin - std::min(window.span.begin, kEmphasis);
    const auto plain = WithoutEmphasis(text_.substr(begin, window.span.end + kEmphasis - begin));
    if (plain) SearchIn(window.use, plain->view(), {0, plain->size()}, begin);
  }

  // `before`: of the text in front of `text`.
  void SearchIn(const CompiledRules::Use& use, std::string_view text, TextSpan window, std::size_t before) {
    const CompiledRule& rule = rules_.rules()[use.rule];
    for (std::size_t at = window.begin; at < window.end;) {
      TextSpan match;
      const std::optional<TextSpan> found = rule.Match(text, {at, window.end}, false, match);
      if (!found) return;
      NoteEnd(before + match.end);
      const TextSpan secret{before + found->begin, before + found->end};
      const bool is_secret = secret.size() > 0 && IsSecret(rule, secret);
      if (is_secret) Add(use, secret);
      at = std::max(at + 1, is_secret || secret.size() > kLong ? found->end : found->begin);
    }
  }

  bool IsSecret(const CompiledRule& rule, TextSpan span) const {
    const std::string_view secret = text_.substr(span.begin, span.size());
    return rule.Passes(secret) && !rules_.IsAllowed(secret) && !IsUserToo(text_.substr(0, span.begin), secret);
  }

  void Add(const CompiledRules::Use& use, TextSpan span) {
    StateOf(use).done = span.end;
    found_.push_back(
        {layer_.AtBottom(span), use.rule, use.keyword, SecretString(text_.substr(span.begin, span.size()))});
  }

  struct RuleState {
    std::size_t done = 0;     // where its last secret ends
    std::size_t windows = 0;  // the number of windows up to and with its last one
  };
  // Most layers have no keyword, and need no state of several hundred rules.
  RuleState& StateOf(const CompiledRules::Use& use) {
    if (states_.empty()) states_.resize(rules_.rules().size());
    return states_[use.rule];
  }

  const CompiledRules& rules_;
  Layer& layer_;
  const std::string_view text_;
  std::vector<FoundSecret>& found_;
  std::vector<RuleState> states_;
  std::vector<Window> windows_;
  std::size_t end_of_long_value_ = 0;
};

}  // namespace

SecretDetector::SecretDetector(std::unique_ptr<const CompiledRules> rules) : rules_(std::move(rules)) {}
SecretDetector::~SecretDetector() = default;

Result<std::unique_ptr<SecretDetector>> SecretDetector::Make(SecretRules rules) {
  auto compiled = TURNLOG_TRY(CompiledRules::Make(std::move(rules)));
  return std::unique_ptr<SecretDetector>(new SecretDetector(std::move(compiled)));
}

const SecretRule& SecretDetector::rule(std::size_t index) const { return rules_->rules()[index].rule(); }

std::size_t SecretDetector::reach() const {
  std::size_t reach = kMaxKeyBlock;
  for (const CompiledRule& rule : rules_->rules()) reach = std::max(reach, rule.rule().before + rule.rule().after);
  return reach;
}

std::vector<FoundSecret> SecretDetector::Find(std::string_view text) const {
  std::vector<FoundSecret> found;
  ForEachLayer(text, layer_options(), [&](Layer& layer) {
    const auto known = static_cast<std::ptrdiff_t>(found.size());
    LayerSearch(*rules_, layer, found).Run();
    // With more of the text it will be found again, and whole.
    if (layer.asks_for_more()) found.erase(found.begin() + known, found.end());
  });
  return Merge(std::move(found));
}

void SecretDetector::ForEachKeyword(std::string_view text, const std::function<void(std::size_t)>& on_keyword) const {
  rules_->finder().ForEach(text, [&](std::size_t, TextSpan span) { on_keyword(span.begin); });
}

LayerOptions SecretDetector::layer_options() const {
  return {.min_bytes = kMinSecret, .ascii_only = true, .plain_escapes_at_hits = rules_->finds_escaped_keywords()};
}

std::string SecretDetector::Explain(const FoundSecret& found) const {
  const SecretRule& rule = this->rule(found.rule);
  const std::string_view value = found.value.view();
  return fmt::format("{}; {} `{}`, {} bytes with {:.1f} bits each{}", rule.description, rule.named ? "called" : "near",
                     rule.keywords[found.keyword], value.size(), Entropy(value),
                     found.span.size() != value.size() ? ", encoded or wrapped" : "");
}

}  // namespace turnlog
