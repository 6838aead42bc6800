#include "logctl/secret_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "logctl/text.h"

namespace turnlog {
namespace {

struct Provider {
  std::string_view rule;  // the beginning of its rules' ids
  std::string_view page;  // where its keys are revoked
};

constexpr std::array kProviders{
    Provider{"anthropic", "https://console.anthropic.com/settings/keys"},
    Provider{"aws", "https://console.aws.amazon.com/iam/home#/security_credentials"},
    Provider{"azure", "https://portal.azure.com"},
    Provider{"cloudflare", "https://dash.cloudflare.com/profile/api-tokens"},
    Provider{"digitalocean", "https://cloud.digitalocean.com/account/api/tokens"},
    Provider{"gcp", "https://console.cloud.google.com/apis/credentials"},
    Provider{"github", "https://github.com/settings/tokens"},
    Provider{"gitlab", "https://gitlab.com/-/user_settings/personal_access_tokens"},
    Provider{"google", "https://console.cloud.google.com/apis/credentials"},
    Provider{"groq", "https://console.groq.com/keys"},
    Provider{"huggingface", "https://huggingface.co/settings/tokens"},
    Provider{"npm", "https://www.npmjs.com/settings/~/tokens"},
    Provider{"openai", "https://platform.openai.com/api-keys"},
    Provider{"openrouter", "https://openrouter.ai/settings/keys"},
    Provider{"pypi", "https://pypi.org/manage/account/token/"},
    Provider{"sendgrid", "https://app.sendgrid.com/settings/api_keys"},
    Provider{"slack", "https://api.slack.com/apps"},
    Provider{"stripe", "https://dashboard.stripe.com/apikeys"},
    Provider{"telegram", "https://t.me/BotFather"},
};

// Empty: not known.
std::string_view RevocationPage(std::string_view rule) {
  const auto* const known =
      std::ranges::find_if(kProviders, [&](const Provider& one) { return rule.starts_with(one.rule); });
  return known != kProviders.end() ? known->page : std::string_view();
}

// "event 4, 7 of talk; event 9 of other"
std::string EventsOf(const RedactedSecret& secret) {
  constexpr std::size_t kShown = 10;
  std::string text;
  std::string_view conversation;
  for (std::size_t i = 0; i < secret.events.size() && i < kShown; ++i) {
    const ValueLocation& event = secret.events[i];
    const bool same = i > 0 && event.conversation == conversation;
    if (!same) text += fmt::format("{}{}: event", text.empty() ? "" : "; ", Printable(event.conversation));
    text += fmt::format("{} {}", same ? "," : "", event.seq.value);
    conversation = event.conversation;
  }
  if (secret.events.size() > kShown) text += fmt::format(" and {} more", secret.events.size() - kShown);
  return text;
}

}  // namespace

void PrintSecrets(Output& out, const RedactionPlan& plan, bool explain) {
  for (const RedactedSecret& secret : plan.secrets) {
    out.Write(fmt::format("{}  {}  {} in {}{}\n", out.Paint(Style::kBold, secret.fingerprint), secret.rule,
                          Counted(secret.events.size(), "event"), Counted(secret.conversations, "conversation"),
                          secret.sent_to_model ? ", sent to a model" : ""));
    if (explain) out.Write(fmt::format("  {}\n", Printable(secret.why)));
    out.Write(fmt::format("  {}\n", EventsOf(secret)));
    if (secret.first) {
      out.Write(fmt::format("  first {}, last {}\n", secret.first->ToRfc3339(), secret.last->ToRfc3339()));
    }
    if (const auto page = RevocationPage(secret.rule); !page.empty())
      out.Write(fmt::format("  revoke it at {}\n", page));
  }
}

void AddSecrets(JsonDocument& json, const RedactionPlan& plan, bool explain) {
  json.Array("secrets");
  for (const RedactedSecret& secret : plan.secrets) {
    json.Object();
    json.Field("fingerprint", secret.fingerprint);
    json.Field("rule", secret.rule);
    if (explain) json.Field("why", secret.why);
    json.Field("conversations", secret.conversations);
    json.Array("events");
    for (const ValueLocation& event : secret.events) {
      json.Object();
      json.Field("conversation", event.conversation);
      json.Field("seq", event.seq);
      json.EndObject();
    }
    json.EndArray();
    if (secret.first) json.Field("first", *secret.first);
    if (secret.last) json.Field("last", *secret.last);
    json.Field("sent_to_model", secret.sent_to_model);
    if (const auto page = RevocationPage(secret.rule); !page.empty()) json.Field("revoke_at", page);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace turnlog
