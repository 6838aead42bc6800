#include "tests/secrets/fake_secrets.h"

namespace turnlog {
namespace {

bool IsAlnum(char letter) { return kAlnum.contains(letter); }

// Collects planted secrets in the order of the rules.
class Planter {
 public:
  explicit Planter(std::uint32_t seed) : fake_(seed) {}

  std::vector<PlantedSecret> Take() { return std::move(planted_); }

  // Tokens are built from pieces so that scanners do not report this file as a leak.
  void Token(const char* rule, const std::string& start, const std::string& rest) {
    planted_.push_back({rule, "the token is ", start + rest, ", keep it\n"});
  }
  void Within(const char* rule, std::string before, std::string secret, std::string after) {
    planted_.push_back({rule, std::move(before), std::move(secret), std::move(after)});
  }
  std::string Of(std::string_view letters, std::size_t count) { return fake_.Of(letters, count); }

  std::string Lines(std::size_t lines, std::size_t letters, const char* line_break = "\n") {
    std::string text;
    for (std::size_t i = 0; i < lines; ++i) text += Of(kBase64, letters) + line_break;
    return text;
  }

  std::string Pem(const std::string& kind, const std::string& headers = "") {
    const std::string name = kind + "PRIVATE" + " KEY";
    return "-----BEGIN " + name + "-----\n" + headers + Lines(9, 64) + Of(kBase64, 30) + "==\n-----END " + name +
           "-----";
  }

  std::string Jwt() {
    return EncodeBase64(R"({"typ":"JWT","alg":"HS256"})", kWeb64, false) + "." +
           EncodeBase64(R"({"sub":"17","name":"A. Nobody"})", kWeb64, false) + "." + Of(kWeb64, 43);
  }

  std::string Uuid() {
    return Of(kHex, 8) + "-" + Of(kHex, 4) + "-" + Of(kHex, 4) + "-" + Of(kHex, 4) + "-" + Of(kHex, 12);
  }

 private:
  FakeSecrets fake_;
  std::vector<PlantedSecret> planted_;
};

void PlantKeys(Planter& p) {
  p.Within("private-key", "key: |\n", p.Pem("RSA "), "\nnext: 1\n");
  p.Within("private-key", "x\n", p.Pem("OPENSSH "), "\n");
  p.Within("private-key", "x\n", p.Pem("EC ", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n\n"), "\n");
  p.Within("private-key", "\"", p.Pem(""), "\"");
  p.Within("putty-private-key", "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 4\n",
           p.Lines(3, 64) + p.Of(kBase64, 64), "\nPrivate-MAC: 00\n");
  p.Token("age-secret-key", "AGE-SECRET-KEY-1", p.Of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58));
  p.Token("jwt", "", p.Jwt());
}

void PlantClouds(Planter& p) {
  p.Token("aws-access-key-id", "AKIA", p.Of(kBase32, 16));
  p.Token("aws-access-key-id", "ASIA", p.Of(kBase32, 16));
  p.Within("aws-secret-access-key", "aws_secret_access_key = ", p.Of(kBase64, 40), "\n");
  p.Within("aws-secret-access-key", "{\"SecretAccessKey\": \"", p.Of(kBase64, 40), "\"}");
  p.Within("aws-session-token", "AWS_SESSION_TOKEN=", p.Of(kBase64, 340), "\n");
  p.Token("google-api-key", "AIza", p.Of(kWeb64, 35));
  p.Token("google-oauth-client-secret", "GOCSPX-", p.Of(kWeb64, 28));
  p.Token("google-oauth-token", "ya29.", p.Of(kWeb64, 120));
  p.Token("google-oauth-token", "1//0", p.Of(kWeb64, 60));
  p.Within("azure-storage-key", "AccountName=a;AccountKey=", p.Of(kBase64, 86) + "==", ";EndpointSuffix=c");
  p.Within("azure-storage-key", "SharedAccessKey=", p.Of(kBase64, 43) + "=", "\n");
  p.Within("azure-sas-signature", "https://a.blob.core.windows.net/b?sv=2022&sig=", p.Of(kAlnum, 43) + "%3D", "&se=1");
  p.Within("azure-client-secret", "x: ", p.Of(kAlnum, 3) + "8Q~" + p.Of(kAlnum, 34), "\n");
  p.Token("digitalocean-token", "dop_v1_", p.Of(kHex, 64));
  p.Token("heroku-key", "HRKU-", p.Uuid());
  p.Token("databricks-token", "dapi", p.Of(kHex, 32));
  p.Token("vault-token", "hvs.", p.Of(kAlnum, 90));
  p.Token("terraform-token", p.Of(kAlnum, 14), ".atlasv1." + p.Of(kWeb64, 67));
  p.Token("pulumi-token", "pul-", p.Of(kHex, 40));
  p.Token("doppler-token", "dp.pt.", p.Of(kAlnum, 43));
  p.Token("tailscale-key", "tskey-auth-", p.Of(kAlnum, 14) + "-" + p.Of(kAlnum, 32));
  p.Token("fly-token", "fo1_", p.Of(kWeb64, 43));
  p.Token("fly-token", "fm2_", p.Of(kBase64, 300));
  p.Token("supabase-key", "sbp_", p.Of(kHex, 40));
  p.Token("netlify-token", "nfp_", p.Of(kAlnum, 36));
  p.Token("planetscale-token", "pscale_tkn_", p.Of(kWeb64, 43));
}

void PlantHosts(Planter& p) {
  for (const char* kind : {"p", "o", "u", "s", "r"})
    p.Token("github-token", std::string("gh") + kind + "_", p.Of(kAlnum, 36));
  p.Token("github-fine-grained-token", "github_pat_", p.Of(kAlnum, 22) + "_" + p.Of(kAlnum, 59));
  for (const char* kind : {"pat", "dt", "rt", "ptt", "soat"})
    p.Token("gitlab-token", std::string("gl") + kind + "-", p.Of(kAlnum, 20));
  p.Token("gitlab-token", "glpat-", p.Of(kAlnum, 27) + ".01." + p.Of("abcdefghijkl0123456789", 9));
  p.Token("atlassian-token", "ATATT3", p.Of(kWeb64, 180) + "=" + p.Of(kHex, 8));
  p.Token("atlassian-token", "ATBB", p.Of(kAlnum, 32));
  p.Token("npm-token", "npm_", p.Of(kAlnum, 36));
  p.Within("npm-config-token", "//registry.example.org/:_authToken=", p.Uuid(), "\n");
  p.Token("pypi-token", "pypi-AgE", p.Of(kWeb64, 160));
  p.Token("rubygems-key", "rubygems_", p.Of(kHex, 48));
  p.Token("crates-token", "cio", p.Of(kAlnum, 32));
  p.Token("docker-hub-token", "dckr_pat_", p.Of(kWeb64, 27));
  p.Within("docker-config-auth", "{\"auths\":{\"r\":{\"auth\": \"", EncodeBase64("somebody:" + p.Of(kAlnum, 12)),
           "\"}}}");
  p.Token("jfrog-token", "AKCp", p.Of(kAlnum, 69));
  p.Token("buildkite-token", "bkua_", p.Of(kHex, 40));
  p.Token("circleci-token", "CCIPAT_", p.Of(kAlnum, 22) + "_" + p.Of(kHex, 40));
}

void PlantModels(Planter& p) {
  p.Token("openai-key", "sk-", p.Of(kAlnum, 20) + "T3BlbkFJ" + p.Of(kAlnum, 20));
  p.Token("openai-key", "sk-proj-", p.Of(kWeb64, 74) + "T3BlbkFJ" + p.Of(kWeb64, 74));
  p.Token("openai-key", "sk-svcacct-", p.Of(kWeb64, 120));
  p.Token("anthropic-key", "sk-ant-api03-", p.Of(kWeb64, 93) + "AA");
  p.Token("anthropic-key", "sk-ant-oat01-", p.Of(kWeb64, 93) + "AA");
  p.Token("openrouter-key", "sk-or-v1-", p.Of(kHex, 64));
  p.Token("sk-key", "sk-", p.Of(kHex, 32));
  p.Token("groq-key", "gsk_", p.Of(kAlnum, 52));
  p.Token("perplexity-key", "pplx-", p.Of(kAlnum, 48));
  p.Token("xai-key", "xai-", p.Of(kAlnum, 80));
  p.Token("hugging-face-token", "hf_", p.Of(kAlnum, 34));
  p.Token("replicate-token", "r8_", p.Of(kAlnum, 37));
  p.Token("nvidia-key", "nvapi-", p.Of(kWeb64, 64));
  p.Token("cerebras-key", "csk-", p.Of("abcdefghijklmnopqrstuvwxyz0123456789", 48));
  p.Within("mistral-key", "MISTRAL_API_KEY=", p.Of(kAlnum, 32), "\n");
}

void PlantServices(Planter& p) {
  p.Token("slack-token", "xoxb-", p.Of(kDigits, 12) + "-" + p.Of(kDigits, 12) + "-" + p.Of(kAlnum, 24));
  p.Token("slack-token", "xapp-1-", "A0" + p.Of(kUpper, 8) + "-" + p.Of(kDigits, 12) + "-" + p.Of(kHex, 64));
  p.Within("slack-webhook", "https://hooks.slack.com/services/",
           "T" + p.Of(kUpper, 9) + "/B" + p.Of(kUpper, 9) + "/" + p.Of(kAlnum, 24), "\n");
  p.Within("discord-bot-token", "discord: ", "M" + p.Of(kAlnum, 25) + "." + p.Of(kAlnum, 6) + "." + p.Of(kWeb64, 38),
           "\n");
  p.Within("discord-webhook", "https://discord.com/api/webhooks/" + p.Of(kDigits, 18) + "/", p.Of(kWeb64, 68), "\n");
  p.Token("telegram-bot-token", p.Of(kDigits, 10), ":AA" + p.Of(kWeb64, 33));
  p.Within("teams-webhook", "https://x.webhook.office.com/webhookb2/",
           p.Uuid() + "@" + p.Uuid() + "/IncomingWebhook/" + p.Of(kHex, 32) + "/" + p.Uuid(), "\n");
  p.Token("twilio-key", "SK", p.Of(kHex, 32));
  p.Within("twilio-auth-token", "TWILIO_AUTH_TOKEN: ", p.Of(kHex, 32), "\n");
  p.Token("sendgrid-key", "SG.", p.Of(kWeb64, 22) + "." + p.Of(kWeb64, 43));
  p.Token("mailgun-key", "key-", p.Of(kHex, 32));
  p.Token("mailchimp-key", p.Of(kHex, 32), "-us12");
  p.Token("brevo-key", "xkeysib-", p.Of(kHex, 64) + "-" + p.Of(kAlnum, 16));
  p.Token("stripe-key", "sk_live_", p.Of(kAlnum, 24));
  p.Token("stripe-key", "whsec_", p.Of(kAlnum, 32));
  p.Token("square-token", "sq0atp-", p.Of(kWeb64, 22));
  p.Token("shopify-token", "shpat_", p.Of(kHex, 32));
  p.Within("airtable-token", "airtable ", "pat" + p.Of(kAlnum, 14) + "." + p.Of(kHex, 64), "\n");
  p.Token("notion-token", "ntn_", p.Of(kDigits, 11) + p.Of(kAlnum, 35));
  p.Token("linear-key", "lin_api_", p.Of(kAlnum, 40));
  p.Token("figma-token", "figd_", p.Of(kWeb64, 43));
  p.Token("dropbox-token", "sl.", p.Of(kWeb64, 135));
  p.Token("facebook-token", "EAA", p.Of(kAlnum, 120));
  p.Token("sentry-token", "sntryu_", p.Of(kHex, 64));
  p.Token("grafana-token", "glsa_", p.Of(kAlnum, 32) + "_" + p.Of(kHex, 8));
  p.Token("new-relic-key", "NRAK-", p.Of(kUpper, 12) + p.Of(kAlnum, 15));
  p.Token("postman-key", "PMAK-", p.Of(kHex, 24) + "-" + p.Of(kHex, 34));
  p.Token("onepassword-key", "A3-",
          p.Of(kUpper, 6) + "-" + p.Of(kUpper, 6) + "-" + p.Of(kUpper, 5) + "-" + p.Of(kUpper, 5) + "-" +
              p.Of(kUpper, 5) + "-" + p.Of(kUpper, 5));
}

void PlantByPlace(Planter& p) {
  p.Within("basic-auth", "Authorization: Basic ", EncodeBase64("somebody:" + p.Of(kAlnum, 12)), "\n");
  p.Within("bearer-token", "Authorization: Bearer ", p.Of(kAlnum, 40), "\n");
  p.Within("api-key-header", "curl -H 'X-Api-Key: ", p.Of(kAlnum, 32), "' https://e.org");
  p.Within("api-key-header", "PRIVATE-TOKEN: ", p.Of(kAlnum, 24), "\n");
  p.Within("url-password", "postgres://app:", p.Of(kAlnum, 14), "@db.local:5432/app\n");
  p.Within("url-password", "redis://:", p.Of(kAlnum, 10), "@cache\n");
  p.Within("secret-assignment", "client_secret = \"", p.Of(kAlnum, 32), "\"");
  p.Within("secret-assignment", "{\"api_key\":\"", p.Of(kHex, 40), "\"}");
  p.Within("secret-assignment", "MY_TOKEN=", p.Of(kAlnum, 24), "\n");
  p.Within("secret-assignment", "signing-key: ", p.Of(kAlnum, 43) + "=", "\n");
  p.Within("password-assignment", "password = \"", "Tr0ub4dor&3", "\"");
  p.Within("password-assignment", "{\"db_password\":\"", "hunter2024", "\"}");
  p.Within("password-setting", "user: x\npassword: ", "Gre3nTea-9", "\nhost: y\n");
  p.Within("password-setting", "export DB_PASSWORD=", "s3cret-sauce", "\n");
}

}  // namespace

std::string FakeSecrets::Of(std::string_view letters, std::size_t count) {
  std::string text(count, '\0');
  for (char& letter : text) letter = letters[Below(static_cast<std::uint32_t>(letters.size()))];
  while (!IsAlnum(text.front())) text.front() = letters[Below(static_cast<std::uint32_t>(letters.size()))];
  while (!IsAlnum(text.back())) text.back() = letters[Below(static_cast<std::uint32_t>(letters.size()))];
  return text;
}

std::string FakeSecrets::Bytes(std::size_t count) {
  std::string text(count, '\0');
  for (char& byte : text) byte = static_cast<char>(Below(256));
  return text;
}

std::string EncodeBase64(std::string_view bytes, std::string_view letters, bool padded) {
  std::string bits;
  for (const char byte : bytes) {
    for (int i = 7; i >= 0; --i) bits.push_back(static_cast<char>('0' + (static_cast<unsigned char>(byte) >> i & 1)));
  }
  std::string out;
  while (bits.size() % 6 != 0) bits.push_back('0');
  for (std::size_t i = 0; i < bits.size(); i += 6) out.push_back(letters[std::stoul(bits.substr(i, 6), nullptr, 2)]);
  while (padded && out.size() % 4 != 0) out.push_back('=');
  return out;
}

std::vector<PlantedSecret> PlantedSecrets(std::uint32_t seed) {
  Planter planter(seed);
  PlantKeys(planter);
  PlantClouds(planter);
  PlantHosts(planter);
  PlantModels(planter);
  PlantServices(planter);
  PlantByPlace(planter);
  return planter.Take();
}

}  // namespace turnlog
