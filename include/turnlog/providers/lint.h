// Checks the body of a request to a model provider before it is sent: whether the provider would refuse it, where, why,
// and what to do. docs/provider_rules.md lists the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/result.h"

namespace turnlog {

// An API that takes conversations.
enum class Provider : std::uint8_t { kAnthropic, kOpenAiChat, kOpenAiResponses, kGemini };

// anthropic, openai-chat, openai-responses, gemini
std::string_view ToString(Provider provider);
std::span<const Provider> AllProviders();
std::optional<Provider> FindProvider(std::string_view name);

enum class Verdict : std::uint8_t {
  kRefused,  // the provider answers with an error
  kRisk,     // refused by some models or servers, or a waste
};
std::string_view ToString(Verdict verdict);

struct ProviderRule {
  std::string_view id;              // stable, e.g. "anthropic-missing-result"
  std::vector<Provider> providers;  // that have the rule
  Verdict verdict = Verdict::kRefused;
  std::string_view requirement;
  std::string_view error;  // how the provider's message begins, for searching; empty: not known
  std::string_view cure;

  bool AppliesTo(Provider provider) const;
};

// In the order of the documentation.
std::span<const ProviderRule> ProviderRules();
// Null if there is no rule of this id.
const ProviderRule* FindProviderRule(std::string_view id);

struct ProviderFinding {
  const ProviderRule* rule = nullptr;
  std::string pointer;     // JSON Pointer (RFC 6901) of the value that breaks the rule
  std::uint64_t line = 1;  // of that value, from 1
  std::uint64_t byte = 0;  // of that value
  std::string detail;      // for people; quotes no contents but ids and numbers
};

struct RequestLintOptions {
  // Decides which rules of its generation apply; empty: `model` of the request. Without either, those of the newest
  // models.
  std::string_view model;
};

// What breaks a rule, in the order of the request. `request`: the JSON text of a body, or only its list of messages,
// items or contents; rules about the rest of the body do not apply to a list. kInvalidArgument: it is no JSON, or has
// no such list; the message says where. Memory: some ten times the request's structure, without its texts.
Result<std::vector<ProviderFinding>> LintRequest(Provider provider, std::string_view request,
                                                 const RequestLintOptions& options = {});

}  // namespace turnlog
