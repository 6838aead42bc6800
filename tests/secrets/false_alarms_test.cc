// Texts in which the detector finds nothing.
#include <gmock/gmock.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "sanitize/secrets/secret_detector.h"
#include "tests/secrets/built_in_detector.h"
#include "tests/secrets/fake_secrets.h"
#include "tests/secrets/shapes.h"
#include "tests/support/shared_data.h"

namespace turnlog::false_alarms_test {
namespace {

using testing::IsEmpty;

// `cases`: contexts, and the shapes of what stands there.
void ExpectNothingIn(const std::vector<std::pair<const char*, const char*>>& cases, std::uint32_t seed) {
  FakeSecrets fake(seed);
  for (const auto& [context, shape] : cases) {
    for (int i = 0; i < 20; ++i) {
      const std::string text = WriteIn(context, "", Sample(shape, fake));
      EXPECT_THAT(RulesIn(text), IsEmpty()) << text;
    }
  }
}

TEST(FalseAlarms, FindsNothingInPlaceholders) {
  for (const char* text : {
           "AKIAIOSFODNN7EXAMPLE",
           "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
           "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
           "OPENAI_API_KEY=sk-proj-your-key-here-0123456789",
           "api_key = \"<your-api-key-goes-here-1a2b3c>\"",
           "token: ${{ secrets.DEPLOY_TOKEN_V2_PROD }}",
           "password = \"changeme\"",
           "password = \"$DB_PASSWORD_2\"",
           "password: {{ vault_password_1 }}",
           "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
           "postgres://user:password@localhost/db",
           "postgres://postgres:postgres@localhost/db",
           "https://user:${PASSWORD_1}@example.org",
           "Authorization: Bearer $TOKEN_2",
           "Authorization: Bearer <token-1234567890-abc>",
           "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
           "-----BEGIN PUBLIC KEY-----",
           "curl -u \"${_username}:${_password}\"",
           "curl -i -u 'test:test'",
           "curl -u <user:password> https://e.org",
           "--master-user-password A1b2c3d4",
           "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&issuer=b",
           "nats://derek:porkchop@127.0.0.1:4222",
           "rabbit://bob:n0ts3kret@localhost/",
           "secret := \"S3Cr3T0k3n!\"",
           "(\"password\", 'sha1$123abcdef$e4a1877b0e35c47329e7ed7e58014276168a37ba')",
           "* contrib/ftpasswd: Bug#2371",
           "if (strlen($secretKey) !== self::CRYPTO_BOX_SECRETKEYBYTES)",
           "\"PurchaseToken\": \"eyJ2IjoiMSIsInMiOjEsImMiOi...\"",
       }) {
    EXPECT_THAT(RulesIn(text), IsEmpty()) << text;
  }
}

TEST(FalseAlarms, FindsNothingInCodeAndProseThatSpeakOfSecrets) {
  for (const char* text : {
           "let token = self.tokenizer.next_token2()?;",
           "const char* password = getenv(\"DB_PASSWORD\");",
           "if (password == \"\") return Error::kMissingPassword2;",
           "password: String,",
           "the password is stored hashed, see docs/password_hashing_v2.md",
           "\"input_tokens\": 123456789012345678, \"cache_read_tokens\": 99",
           "secret_key_base: Rails.application.credentials.secret_key_base",
           "api_key_env = \"ANTHROPIC_API_KEY\"",
           "key = crypto.createPublicKey(\"ed25519.Ed25519PublicKey\")",
           "private_key: ed25519.Ed25519PrivateKey, other",
           "token: tools/parser/token_stream_2.cc",
           "commit 0685bd9184f0a1c2d3e4f5a6b7c8d9e0f1a2b3c4",
           "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
           "https://example.org:8080/path@v2",
           "git@github.com:owner/repository.git",
           "basic authentication, bearer authentication",
           "task-management-and-risk-assessment-of-disk-failures",
           "id: 550e8400-e29b-41d4-a716-446655440000",
           "o.keySelector=n,o.haKey=!1,e.tokenizer2=function(t){return t.k3y9}",
           "docker run --mount \"src=$(pwd),dst=/checkout2\"",
           "print(f\"password={password!r}\")",
           "the header identified by `name2` is set",
           "| password | a string of 8-64 characters |",
           ":param Ed25519PrivateKey|Ed25519PublicKey|Ed448PrivateKey|Ed448PublicKey key:",
           "#define XXH3_initCustomSecret XXH3_initCustomSecret_avx512",
           "mngr->getKey = xmlSecKeysMngrGetKey;",
           "pip/_vendor/distlib/manifest.py,sha256=nQEhYmgoreaBZzyFzwYsXxJARu3fo4EkunU163U16iE,14811",
           "'sodium_crypto_box_secretkey',\n'sodium_crypto_box_seed_keypair',",
           "'ssh2_auth_pass',\n'ssh2_auth_pubkey_file',",
           "printpchar('pw_passwd',p^.pw_passwd);",
           "access_key, secret_key = self._extract_creds_from_mapping(",
           "secret_key = creds[self.SECRET_KEY]",
           "self.secret_key = os.environ[secret_key_name.upper()]",
           "proxy_pass=\"p4ssw0rd\",",
           "ACCESS_KEY = 'AWSAccessKeyId'",
           "<a href=\"#all_test_ctxmockimplementationimplementation\">",
           "Next page token: k3Jv1QzB0OM8rLdGXOEsyQWSG",
           "e.username=i.username,e.password=i.password,e.host=i.host,e.port=i.port",
           "g?e.password+=w:e.username+=w",
           "'V3OidcPassword', 'V3OidcAuthorizationCode', 'V3Token'",
           "'USERPWD', 'HTTP200ALIASES', 'FILE'",
           "<name>wildfly-elytron-credential</name>\n<version>2.6.0.Final</version>",
           "$lang['user_pass'] = 'Contrase\u00f1a';",
           "$dummyPassword = '_web_form_5847ed1b5b8ca';",
           "password   | **Required.** The password",
           "Sec-WebSocket-Key: IDM3ODE4NDk2MjA1OTcxOQ==",
           "http_proxy=\"http://proxyuser:proxypass@proxyhost:3128\"",
           "MYSQL_PASSWORD= FILTER=integration npm test",
           "userdb passwd:  blocking=yes in args",
           "\"X-Amz-Credential\",\n\"X-Amz-Date\",",
           "TestKeyFingerprintWithPassphrase = \"E3EB7611D815211F141946B5B0CDE60B42557346\"",
           "the password is stored, and the password policy2024 applies",
           "\"file:///etc/passwd\",\n\"magnet:?xt=urn:btih:be08f00302bc2d1d\",",
       }) {
    EXPECT_THAT(RulesIn(text), IsEmpty()) << text;
  }
}

// Values of standards and manuals, and what only examples have.
TEST(FalseAlarms, FindsNothingInPublishedExamples) {
  for (const char* text : {
           "\"access_token\":\"2YotnFZFEjr1zCsicMWpAA\",",
           "\"refresh_token\":\"tGzv3JOkF0XG5Qx2TlKWIA\",",
           "Authorization: Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW",
           "Authorization: Bearer mF_9.B5f-4.1JqM",
           "http://www.example.com/path?access_token=h480djs93hd8",
           "oauth_token=\"ad180jjd733klru7\",",
           "oauth_token=sdf0o9823sjdfsdf&foo=bar",
           "password: 'bm90IG15IHJlYWwgcGFzc3dvcmQ=',",
           "client_secret = \"abc_ThIsIsAsEcReT\"",
           "cvs -d :pserver:anoncvs@sources.redhat.com:/cvs/src",
           "{\"authorization\": \"Basic dXNlcjpwYXNz\"}",
           "('Authorization', 'Basic eHVzZXI6eHBhc3N3b3Jk')",
           "http://user:pass%23pass@complex.url.com/path?query=yes",
           "http://login-on-proxy:passwd-on-proxy@proxy-host.com:port",
           "http://JeremyCline:Hunter2@example.com:8080/",
           "{\"auths\": {\"example.org\": {\"auth\": \"am9lam9lOmhlbGxv\"}}}",
           "('Authorization', 'Basic bXlOYW1lOm15UGFzc3dvcmQ=')",
           "\"id_token\": \"eyJhbGciOiJSUzI1Ni8hOYHuZT8dt_yynmJVhcU\"",
           "/me/friends?access_token=EAACEdEose0cB",
           "http://isabel:s:3:c:r:e:t@example.org",
           "user:{plain}password::::::allow_nets=192.168.0.0/24",
           "FAKE_ACCESS_TOKEN = '3e2813b7ba0b4006840c3825860b86edQx'",
       }) {
    EXPECT_THAT(RulesIn(text), IsEmpty()) << text;
  }
}

// Passwords of manuals: a test, a masked word that says what it is, or a word and a count in prose.
TEST(FalseAlarms, FindsNothingInPasswordsOfManuals) {
  for (const char* text : {
           "the key of the network password &quot;HomePlugAV0123&quot;",
           "password: C1sco12345",
           "password: AviNetworks123!",
           "password: Esxi@123$%",
           "netapp_password: netapp123",
           "use the password 'Cisco123' for the first login",
           "connect(host, password='Cisco123')",
           "Password: \"s0s3cur3\",",
           "password_base64: 'cGFzc3dvcmQ='",
           "http://user:p%40ss%3Aword@example.org",
           "http://user:cache%40pass@example.org",
           "http://user:\u043f\u0430\u0440\u043e\u043b\u044c@example.org",
           "mongodb://user:random_password@example.org",
           "dotenv://:key_1234@dotenv.org/vault/.env.vault",
           "Authorization: Basic Y2hhcmxlczoxMjM0NQ==",
           "TEST_SECRET = \"0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20\"",
           "ldap_admin_password: \"testing123!\"",
           "password: B0bP4ssw0rd",
           "password: str0ngp@ssword",
           "ansible_vmware_password: Secr3tP4ssw0rd!12",
           "svm_password: P@assword!",
           "pwd: \"S0meP@ss\"",
           "password: 's00pers3cret'",
           "admin password 'we1come!'",
           "netbox_token: 0123456789abcdef0123456789abcdef01234567",
           "api_token: e31060a7-21fc-e277-6240-25983c6c4592",
           "api_key: \"ABC123abc123ABC123abc123ABC123ab\"",
           "OAuthToken: 'abc123def456'",
           "KEYCLOAK_SECRET = '1234abcd-1234-abcd-1234-abcd1234adcd'",
           "password: '0x5632724fb8ac3699296af26281e1d0f1'",
           "server_password: \"1234qwer!@#$\"",
           "https://codecov.io/gh/a/b/branch/main/graph/badge.svg?token=weBYkksxSi",
           "<img src=\"https://circleci.com/gh/a/b.svg?style=shield&circle-token=5a3cf81e7b9d204687dd\">",
           "docker swarm join --token "
           "SWMTKN-1-3pu6hszjas19xyp7ghgosyx9k8atbfcr8p2is99znpy26u2lkl-7p73s1dx5in4tatdymyhg9hu2 10.0.0.1",
       }) {
    EXPECT_THAT(RulesIn(text), IsEmpty()) << text;
  }
}

TEST(FalseAlarms, FindsNothingInReferencesToMembersAndTypes) {
  for (const char* text : {
           "['cert_5fpwd_14',['cert_pwd',['../structjanus__options.html#a13f2630cb1579cf59e1988bd1e6cf57c',1,",
           "['Hash_Token']]],\n  ['os_5fid_5f_39',['os_id_',",
           "user:String?=nil,password:String?=nil,fragment:String?=nil",
           "\"name\":\"ERROR_NULL_LM_PASSWORD\",\"value\":\"1304_u32\"",
           "a=ice-pwd:jcHb08Jjgrazp2dzjdrvPPvV",
           "addApiKey(apiKey: IApiKeyRef, options?: AddApiKeyOptions)",
           "readonly connectionPasswordKey?: kms.IKeyRef;",
           "manageMasterUserPassword,masterUserSecretKmsKeyId:props.masterUserSecretKmsKey?.keyArn,",
           "return{username,password,usernameAsString:!0}",
           "cdk().traceProperty(this.node,\"SecretKey\"),this._secretKey=value}",
           "\"secretKey\",\"SecretKey\",properties.SecretKey!=null?cfn_parse(",
           "NO_AUTH=\"NO_AUTH\",AuthType2.IAM_ROLE=\"IAM_ROLE\"",
           "\"x.Credentials#fromPassword\",\"aws-cdk-lib.aws_rds.Credentials#fromSecret\",",
           "`injectNpmPassword`,\n    `injectNpm2FaToken`,",
           "slack_channel_id: 'slch_01SvpyRQK3nN6eH9uhRA7n1q',",
           "[netlify-img]: https://api.netlify.com/api/v1/badges/d3807379-2dcf-4a43-9c00-e7e8d90ef792/deploy-status",
           "computeHMACSignature('', 'test_secret') => 'f7f9bd47fb987337b5796fdc1fdb9ba221d0d5396814bfca'",
           "\"--HashedControlPassword\", \"16:5417AE717521511A609921392778FFA8518EC089BF2162A199241AEB4A\"",
           "t.base58=\"123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ\"",
           "=item XMLToken::getAttr2Index4Of8\n",
           "html#2pass\">Quattro9ParserInternal::State</a> password: Quattro9ParserInternal::State",
           "val url_password : ?encoded:bool",
           "\"encrypted_key\": \"RAlAOaVm7ycTK2lQz90ltiJfrBpLq8Ze\",",
           "machine ray login demo1 password demo1_password\n",
           ":vartype password: ~azure.mgmt.datafactory.models.SecretBase",
           ":type pwd: ~azure.mgmt.databoxedge.v2019_03_01.models.AsymmetricEncryptedSecret",
           ":vartype secret_key: ~azure.mgmt.datafactory.models.SecretBase",
           "http_proxy_pass:  @config.http_proxy_pass,",
           "@pwd ||= @server.pwd2",
           "Cleartext-Password := &session-state:Tmp-Integer-0",
           "password = _context3.sent;",
           "password_key = passdb/%u",
           "'as13000_ipsan_password',\n'as13000_ipsan_pools']",
           "sign(self.credentials.access_key, 'HmacSHA256',",
           "arn:aws:secretsmanager:us-west-2:123456789012:secret:AnotherSecret-d4e5f6",
           "let _pass5 = 1.123456789e1;",
           "update_pwd = 'storage-systems2/%s' % ssid",
           "$cp1252Password === $req2->password",
           "config.secret_key = '#{SecureRandom.hex(64)}'",
           "mysql -u wikiadmin -p`wikiadmin_pass2` -h $1",
           "https://%s:x-oauth-basic@github.com",
           "<a href=\"twilio\">v6.0.0-rc.0</a>",
           "twilio = \"R_AARCH64_P32_GOT_LD_PREL19\"",
           "$secretKey = self::box_secretkey2($keypair);",
       }) {
    EXPECT_THAT(RulesIn(text), IsEmpty()) << text;
  }
}

// What is stored instead of a password, and what is encrypted.
TEST(FalseAlarms, FindsNothingInHashesOfPasswords) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"password => '*{v}',", "[0-9A-F]{40}"},
      {"password: md5{v}", "[0-9a-f]{32}"},
      {"password: SCRAM-SHA-256$4096:{v}==", "[0-9A-Za-z+/]{60}"},
      {"htpasswd: \"test:$2y$05${v}\"", "[0-9A-Za-z./]{53}"},
      {"password: SCRAM-SHA-1$4096:{v}=", "[0-9A-Za-z+/]{60}"},
      {"DB_PASSWORD=$2y$10${v}\n", "[0-9A-Za-z./]{53}"},
      {"\"password\": \"$2b$12${v}\",", "[0-9A-Za-z./]{53}"},
      {"password: '$2a$05${v}'", "[0-9A-Za-z./]{53}"},
      {"root_password: $6$salt${v}", "[0-9A-Za-z./]{86}"},
      {"password: $argon2id$v=19$m=65536,t=3,p=4${v}", "[0-9A-Za-z+/]{65}"},
      {"user:$apr1$ab12cd34${v}", "[0-9A-Za-z./]{22}"},
      {"\"password\": \"pbkdf2_sha256$600000${v}=\"", "[0-9A-Za-z+/]{65}"},
      {"pwd: 'U2FsdGVkX1{v}='", "[0-9A-Za-z+/]{33}"},
      {"# password U2FsdGVkX1{v}= encrypted", "[0-9A-Za-z+/]{33}"},
  };
  ExpectNothingIn(cases, 17);
}

// Nearly as those above, and secrets all the same.
TEST(FalseAlarms, FindsSecretsThatAreNearlyExamples) {
  for (const char* text : {
           "password: Tq7Cisco123x",
           "https://e.org/badge.png?token=weBYkksxSi8d",
           "![x](https://e.org/badge.svg) token=weBYkksxSi8d",
           "password: 1.12345e6x!",
           "password: as13000_i9_pools",
           "startup_token: 8dWeBYkksxSi3TW3VBCn9N",
           "s3_secret_key: 8dWeBYkksxSi3TW3VBCn9N",
           "s3_access_key: 8dWeBYkksxSi3TW3VBCn9N",
           "secret: AnotherSecret-d4e5f6x9",
           "password: 0x5632724f#b8ac",
           "api_key: \"abc123f9e8d7c6b5a4f3e2d1c0b9a87f65\"",
           "password: kd83Rw0123",
           "password: cisco1937!",
           "password: xkqzwrt123",
           "password: ~kd83Rw01.x",
           "password: @kd83Rw01q",
           "password: md5f00bar7!",
           "password: *K83Rw01qZ",
           "password: p4ssage-0f-T1me",
           "password: Kd83Rw0?=n1l",
           "password: kd83#fromW0rk",
           "ice_pwd: jcHb08Jjgrazp2dzjdrvPPvV",
           "apiKey: IApiK3yRef8Q7rT",
           "slack_token: 'slch_01SvpyRQK3nN6eH9uhRA7n1q',",
           "http://user:p%40ss9Xq%3Aworn@example.org",
           "Authorization: Basic Y2hhcmxlczoxMjM3OTU=",
           "netbox_token: 0123456789abcdef7f3a91c4e8b2d6057f3a91c4e8b2d605",
           "api_token: e31060a7-21fc-e277-6240-25983c6c4593",
       }) {
    EXPECT_THAT(RulesIn(text), testing::Not(IsEmpty())) << text;
  }
}

// Random values that agents produce all day and that give access to nothing.
TEST(FalseAlarms, FindsNothingInRandomValuesThatAreNoSecrets) {
  constexpr const char* kUuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"\"NextToken\": \"{v}\"", kUuid},
      {"\"ClientToken\": \"{v}\",", kUuid},
      {"next_page_token={v}", "[0-9A-Za-z]{24}"},
      {"continuation-token: {v}", "[0-9A-Za-z]{24}"},
      {"csrf-token={v}==", "[0-9A-Za-z]{86}"},
      {"--starting-token {v}", "[0-9A-Za-z]{60}"},
      {"\"CreationToken\": \"console-{v}\",", kUuid},
      {"--work-unit-token '{v}='", "[0-9A-Za-z]{21}"},
      {"\"S3Key\": \"867139942017-PHIDetection-{v}/\"", "[0-9a-f]{32}"},
      {"publicToken = \"{v}\"", "[0-9A-Za-z]{43}"},
      {"public_key = \"{v}\"", "[0-9A-Za-z]{43}"},
      {"primaryKey: '{v}'", "[0-9A-Za-z]{24}"},
      {"\"cache_key\": \"v3-{v}-linux-x64\"", "[0-9a-f]{16}"},
      {"\"cache-key\": \"node-modules-{v}\"", "[0-9A-Za-z]{32}"},
      {"\"integrity\": \"sha512-{v}==\"", "[0-9A-Za-z+/]{86}"},
      {"golang.org/x/oauth2 v0.15.0 h1:{v}=", "[0-9A-Za-z+/]{43}"},
      {"src=\"data:image/png;base64,iVBORw0KGgo{v}\"", "[0-9A-Za-z+/]{400}"},
      {"\"AWS::ApiGateway::ApiKey\": \"{v}\",", "[0-9a-f]{16}"},
      {"credentialsId: '{v}'", kUuid},
      {"\"kms_key_id\": \"{v}\"", kUuid},
      {"request_id: {v}", kUuid},
      {"SRCREV_lib = \"{v}\"", "[0-9a-f]{40}"},
      {"commit {v}", "[0-9a-f]{40}"},
      {"the key of the entry is {v}", "[0-9a-f]{40}"},
      {"\"tool_use_id\": \"toolu_{v}\"", "[0-9A-Za-z]{24}"},
      {"\"signature\": \"{v}==\"", "[0-9A-Za-z+/]{300}"},
      {"etag: W/\"{v}\"", "[0-9a-f]{32}"},
      {"key: {v}", "[0-9a-f]{64}"},
  };
  ExpectNothingIn(cases, 13);
}

TEST(FalseAlarms, FindsNothingInRealConversationsThatHaveNone) {
  TURNLOG_SHARED_OR_SKIP(corpus, "corpus");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    EXPECT_THAT(RulesIn(text), IsEmpty()) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 10U);
}

}  // namespace
}  // namespace turnlog::false_alarms_test
