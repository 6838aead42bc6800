#include "tests/secrets/planted_secrets.h"

#include <utility>

#include "tests/secrets/shapes.h"

namespace turnlog {
namespace {

// Collects planted secrets in the order of the rules.
class Planter {
 public:
  explicit Planter(std::uint32_t seed) : fake_(seed) {}

  std::vector<PlantedSecret> Take() { return std::move(planted_); }

  void Within(const char* rule, std::string before, std::string secret, std::string after) {
    planted_.push_back({rule, std::move(before), std::move(secret), std::move(after)});
  }
  std::string Of(std::string_view letters, std::size_t count) { return fake_.Of(letters, count); }
  std::string Of(const char* shape) { return Sample(shape, fake_); }

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
  p.Within("putty-private-key", "PuTTY-User-Key-File-3: ssh-rsa\n",
           "Private-Lines: 4\n" + p.Lines(3, 64) + p.Of(kBase64, 64), "\nPrivate-MAC: 00\n");
  p.Within("jwt", "use ", p.Jwt(), "\n");
}

void PlantShapes(Planter& p) {
  for (const KeyShape& key : KeyShapes()) p.Within(key.rule, "use ", p.Of(key.shape), ", keep it\n");
  for (const NamedKeyShape& key : NamedKeyShapes())
    p.Within(key.rule, key.name + std::string("="), p.Of(key.shape), "\n");
}

void PlantByContext(Planter& p) {
  p.Within("aws-session-token", "AWS_SESSION_TOKEN=", p.Of(kBase64, 340), "\n");
  p.Within("azure-storage-key", "AccountName=a;AccountKey=", p.Of(kBase64, 86) + "==", ";EndpointSuffix=c");
  p.Within("azure-storage-key", "SharedAccessKey=", p.Of(kBase64, 43) + "=", "\n");
  p.Within("azure-sas-signature", "https://a.blob.core.windows.net/b?sv=2022&sig=", p.Of(kAlnum, 43) + "%3D", "&se=1");
  p.Within("vault-legacy-token", "VAULT_TOKEN=", "s." + p.Of(kAlnum, 24), "\n");
  p.Within("gitlab-session", "_gitlab_session=", p.Of(kHex, 32), "; path=/\n");
  p.Within("npm-config-token", "//registry.example.org/:_authToken=", p.Uuid(), "\n");
  p.Within("docker-config-auth", "{\"auths\":{\"r\":{\"auth\": \"", EncodeBase64("somebody:" + p.Of(kAlnum, 12)),
           "\"}}}");
  p.Within("slack-webhook", "https://hooks.slack.com/services/",
           "T" + p.Of(kUpper, 9) + "/B" + p.Of(kUpper, 9) + "/" + p.Of(kAlnum, 24), "\n");
  p.Within("discord-bot-token", "discord: ", "M" + p.Of(kAlnum, 25) + "." + p.Of(kAlnum, 6) + "." + p.Of(kWeb64, 38),
           "\n");
  p.Within("discord-webhook", "https://discord.com/api/webhooks/" + p.Of(kDigits, 18) + "/", p.Of(kWeb64, 68), "\n");
  p.Within("telegram-named-token", "telegram_bot = '", p.Of(kDigits, 5) + ":A" + p.Of(kWeb64, 34), "'\n");
  p.Within("teams-webhook", "https://x.webhook.office.com/webhookb2/",
           p.Uuid() + "@" + p.Uuid() + "/IncomingWebhook/" + p.Of(kHex, 32) + "/" + p.Uuid(), "\n");
  p.Within("mailgun-signing-key", "MAILGUN=", p.Of(kHex, 32) + "-" + p.Of(kHex, 8) + "-" + p.Of(kHex, 8), "\n");
  p.Within("airtable-token", "airtable ", "pat" + p.Of(kAlnum, 14) + "." + p.Of(kHex, 64), "\n");
  p.Within("private-jwk", "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"d\":\"", p.Of(kWeb64, 43), "\"}");
}

void PlantCredentials(Planter& p) {
  p.Within("basic-auth", "Authorization: Basic ", EncodeBase64("somebody:" + p.Of(kAlnum, 12)), "\n");
  p.Within("bearer-token", "Authorization: Bearer ", p.Of(kAlnum, 40), "\n");
  p.Within("authorization", "Authorization: token ", p.Of(kHex, 40), "\n");
  p.Within("api-key-header", "curl -H 'X-Api-Key: ", p.Of(kAlnum, 32), "' https://e.org");
  p.Within("api-key-header", "PRIVATE-TOKEN: ", p.Of(kAlnum, 24), "\n");
  p.Within("url-password", "postgres://app:", p.Of(kAlnum, 14), "@db.local:5432/app\n");
  p.Within("url-password", "redis://:", p.Of(kAlnum, 10), "@cache\n");
  p.Within("curl-user", "curl -s -u admin:", "Gre3nTea-9", " https://e.org/\n");
  p.Within("curl-user-only", "curl https://e.org -u '", "k3y-" + p.Of(kAlnum, 20), ":'\n");
  p.Within("command-password", "mysql -u root -p", "Gre3nTea-9", " app < dump.sql\n");
  p.Within("command-password", "sshpass -p ", "Gre3nTea-9", " ssh host\n");
  p.Within("command-password", "docker login -u me -p ", "Gre3nTea-9", " r.example.org\n");
  p.Within("command-password", "redis-cli -h cache -a ", "Gre3nTea-9", " ping\n");
  p.Within("command-password", "ldapsearch -D cn=me -w ", "Gre3nTea-9", " uid=x\n");
  p.Within("command-password", "openssl rsa -passin pass:", "Gre3nTea-9", " -in k\n");
  p.Within("jdbc-oracle-password", "jdbc:oracle:thin:scott/", "Gre3nTea-9", "@//db:1521/app\n");
  p.Within("netrc-password", "machine api.example.org\n  login me\n  password ", "Gre3nTea-9", "\n");
  p.Within("pgpass-password", "# hosts\ndb.local:5432:app:me:", "Gre3nTea-9", "\n");
  p.Within("sql-password", "CREATE USER app IDENTIFIED BY '", "Gre3nTea-9", "';\n");
  p.Within("cookie", "Set-Cookie: sessionid=", p.Of(kAlnum, 32), "; HttpOnly\n");
  p.Within("kubernetes-secret", "kind: Secret\ndata:\n  pin: ", EncodeBase64("Gre3nTea-9"), "\n");
  p.Within("seed-phrase",
           "seed phrase: ", "abandon ability able about above absent absorb abstract absurd abuse access acid", "\n");
}

void PlantByName(Planter& p) {
  p.Within("uuid-key", "\"api_token\", \"", p.Uuid(), "\")");
  p.Within("service-key", "HEROKU_API_KEY=", p.Uuid(), "\n");
  p.Within("service-key", "asana: ", p.Of(kHex, 32), "\n");
  p.Within("secret-assignment", "client_secret = \"", p.Of(kAlnum, 32), "\"");
  p.Within("secret-assignment", "{\"api_key\":\"", p.Of(kHex, 40), "\"}");
  p.Within("secret-assignment", "MY_TOKEN=", p.Of(kAlnum, 24), "\n");
  p.Within("secret-assignment", "signing-key: ", p.Of(kAlnum, 43) + "=", "\n");
  p.Within("secret-in-prose", "my api key ", p.Of(kAlnum, 32), " does not work");
  p.Within("password-in-prose", "The password is ", "Gre3nTea9x7", ", do not lose it");
  p.Within("secret-in-element", "<secret>{ci AQAAABAAA ", p.Of(kAlnum, 32), "}</secret>");
  p.Within("framework-secret-key", "SECRET_KEY = '", "django-insecure-" + p.Of(kAlnum, 20) + "&(^" + p.Of(kAlnum, 20),
           "'\n");
  p.Within("request-key", "[INFO] request to the works API\n[DEBUG] Using Key=", p.Of(kAlnum, 32), "\n");
  p.Within("other-key", "WORKS_KEY=", p.Of(kAlnum, 32), "\n");
  p.Within("weak-password", "PGPASSWORD=", "hunter2", " psql\n");
  p.Within("weak-password", "tool --password ", "Greentea123", " --user me");
  p.Within("password-assignment", "password = \"", "Tr0ub4dor&3", "\"");
  p.Within("password-assignment", "{\"db_password\":\"", "hunter2024", "\"}");
  p.Within("password-assignment", "user: x\npassword: ", "Gre3nTea-9", "\nhost: y\n");
  p.Within("password-assignment", "export DB_PASSWORD=", "s3cret-sauce", "\n");
  p.Within("password-assignment", "PGPASSWORD=", "Gre3nTea-9", " psql\n");
  p.Within("password-assignment", "ansible_ssh_pass: ", "Gre3nTea-9", "\n");
  p.Within("password-assignment", "Server=db;Uid=app;Pwd=", "Gre3nTea-9", ";Encrypt=true");
  p.Within("password-assignment", "jdbc:mysql://db/app?user=a&password=", "Gre3nTea-9", "&ssl=true");
  p.Within("password-assignment", "ALTER USER app WITH PASSWORD '", "Gre3nTea-9", "';");
  p.Within("password-assignment", "tool --password ", "Gre3nTea-9", " --user me");
  p.Within("password-assignment", "FROM x\nENV DB_PASSWORD ", "Gre3nTea-9", "\nRUN y\n");
  p.Within("password-assignment", "\u2502 password \u2502 ", "Gre3nTea-9" + p.Of(kAlnum, 8), " \u2502\n");
  p.Within("password-assignment", "\x1b[34;1m\"password\"\x1b[0m\x1b[1;39m:\x1b[0m \x1b[0;32m\"", "Gre3nTea-9",
           "\"\x1b[0m\n");
}

}  // namespace

std::vector<PlantedSecret> PlantedSecrets(std::uint32_t seed) {
  Planter planter(seed);
  PlantKeys(planter);
  PlantShapes(planter);
  PlantByContext(planter);
  PlantCredentials(planter);
  PlantByName(planter);
  return planter.Take();
}

}  // namespace turnlog
