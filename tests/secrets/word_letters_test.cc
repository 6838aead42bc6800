// Random letters in URLs are passwords; words and names are not.
#include "sanitize/secrets/word_letters.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tests/secrets/built_in_detector.h"
#include "tests/secrets/fake_secrets.h"

namespace turnlog::word_letters_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Frequent English words of six to sixteen letters.
constexpr const char* kWords =
    "something really little people please because should anything nothing thought before better around things "
    "always everything believe thanks father through listen remember coming another wanted enough talking "
    "happened course getting understand mother wouldn trying someone morning yourself looking friend tonight "
    "pretty together minute matter excuse without family somebody everybody myself called couldn tomorrow school "
    "problem actually business already friends saying having second brother thinking probably beautiful forget "
    "minutes nobody doctor anyone happen supposed working afraid exactly whatever everyone chance number taking "
    "change anyway married police anybody trouble couple making person inside waiting different captain important "
    "office dinner against question michael husband reason almost telling anymore behind started moment stupid "
    "either though sister welcome sometimes answer between children brought daughter outside feeling wonderful "
    "months country perfect shouldn running living sounds gentlemen promise special serious street playing "
    "company george coffee leaving parents president himself picture ladies happens perhaps kidding scared "
    "meeting control darling figure asking cannot suppose hospital calling follow straight christmas looked "
    "evening million moving certainly questions finally wonder goodbye become general worked rather possible "
    "unless absolutely except somewhere explain charlie giving seeing secret careful handle report turned "
    "lieutenant expect future officer thinks talked american mistake wedding clothes changed watching building "
    "others longer forgot finish attention choice birthday yesterday colonel lovely worried needed sitting "
    "security across terrible caught return personal message system afternoon happening christ missed present "
    "charge information simple middle surprise forever decided anywhere missing master strong interesting wearing "
    "strange johnny window totally interested appreciate record bought certain college evidence besides "
    "completely history finished apartment letter situation amazing accident imagine pleasure service entire "
    "difference lawyer alright instead station realize hundred summer dollars standing america hungry problems "
    "marriage forgive figured girlfriend private during attack definitely stopped partner walking dangerous "
    "driving english richard ground forward honest boyfriend single position respect broken public "
    "congratulations fighting upstairs seconds normal protect machine speaking starting church professor french "
    "picked thousand holding pictures putting involved relationship neither bother especially nervous whether "
    "breakfast prison government contact pardon dreams sweetheart seriously department patient wondering robert "
    "beginning usually sergeant listening double plenty guilty promised chicken bathroom reading orders weekend "
    "detective action sheriff eating experience obviously difficult flight staying arrest mention favorite "
    "sleeping notice within impossible computer fellow kitchen learned feelings camera heaven quickly lights "
    "shooting played suddenly writing teacher ridiculous surprised decision innocent emergency medical dancing "
    "gotten seemed bigger states closed walked hanging sweetie losing client crying pressure places accept "
    "further excellent drinking corner consider ourselves herself acting locked laughing address pregnant "
    "everywhere papers complete passed witness hardly keeping charles interest helping bottle support flying "
    "decide united bottom hoping conversation asleep continue apologize spirit willing possibly cousin pulled "
    "dropped excited memory breathe search greatest beauty lately choose advice immediately became victim friday "
    "flowers showed saturday driver apparently comfortable destroy brothers mission dressed helped checked weapon "
    "restaurant simply london movies necessary themselves credit starts center bridge practice closer discuss "
    "mister grandma ticket strike animal leaves somehow following knowing career nature however prince "
    "responsible famous correct breath allowed bringing hearing singing account common afford chinese bright "
    "belong concerned escape suspect written operation taught faster deserve danger command stories tickets "
    "paying hiding perfectly sunday whoever beyond student program martin horrible natural breaking battle phoebe "
    "although settle opinion washington terrific according gentleman noticed lonely otherwise military chicago "
    "shower opportunity horses biggest records indeed weapons invited turning attorney pretend health manager "
    "itself fantastic numbers princess island easier earlier suggest letting nowhere animals cheese downstairs "
    "soldier monster several planet insane fellas california walter bloody opening insurance jealous bullet "
    "arrived character national screaming speech airport condition target finding incredible player signal "
    "selling football justice letters project meaning planning science sooner commander ordered subject remind "
    "strength bedroom neighborhood personally finger majesty doctors release weight market expecting signed "
    "falling throat realized director agreed brilliant powers prepared junior pocket responsibility mountain "
    "england romantic training brings powerful whenever sending language purpose believed pieces arrested "
    "exciting genius introduce forgotten familiar criminal recognize stolen weather drinks medicine followed "
    "buried television regular nights opened someday stomach yellow county nearly village prepare matters monkey "
    "sudden assume heading babies jacket thoughts social travel sometime property monday expected fingers remain "
    "bodies secretary funeral magazine senator glasses dating research freedom arthur damage repeat handsome "
    "prefer buying society energy";

std::vector<std::string> Words() {
  std::vector<std::string> words;
  std::string word;
  for (const char* at = kWords; *at != '\0'; ++at) {
    if (*at != ' ') word += *at;
    if (*at == ' ') words.push_back(std::exchange(word, {}));
  }
  words.push_back(word);
  return words;
}

bool IsReported(const std::string& password) {
  return !RulesIn(fmt::format("https://user:{}@host.org/path", password)).empty();
}

std::size_t CountReported(std::size_t letters, std::size_t texts) {
  FakeSecrets fake(static_cast<std::uint32_t>(letters));
  std::size_t reported = 0;
  for (std::size_t i = 0; i < texts; ++i) {
    std::string password;
    while (password.size() < letters) password += static_cast<char>('a' + fake.Below(26));
    reported += IsReported(password) ? 1 : 0;
  }
  return reported;
}

TEST(WordLetters, RandomOnesInUrlsAreReported) {
  constexpr std::size_t kTexts = 2000;
  EXPECT_GE(CountReported(8, kTexts), kTexts * 90 / 100);
  EXPECT_GE(CountReported(10, kTexts), kTexts * 95 / 100);
  EXPECT_GE(CountReported(12, kTexts), kTexts * 97 / 100);
  EXPECT_GE(CountReported(16, kTexts), kTexts * 99 / 100);
}

TEST(WordLetters, WordsInUrlsAreNotReported) {
  std::size_t reported = 0;
  const std::vector<std::string> words = Words();
  for (const std::string& word : words) reported += IsReported(word) ? 1 : 0;
  EXPECT_GT(words.size(), 500U);
  EXPECT_LE(reported, words.size() / 100);
}

TEST(WordLetters, NamesAndExamplesAreNotReported) {
  for (const char* name :
       {"postgres",   "postgresql", "rabbitmq",   "mysqlpwd",   "influxdb",   "keycloak",  "kubernetes", "nginx",
        "clickhouse", "minioadmin", "zabbix",     "grafana",    "jdbcpass",   "rpcpasswd", "qwertz",     "qwertyuiop",
        "asdfghjkl",  "xxxxxxxx",   "abcdefgh",   "letmein",    "opensesame", "swordfish", "changeme",   "foobarbaz",
        "geheim",     "kennwort",   "contrasena", "wachtwoord", "heslo",      "devpwd",    "kafkapw",    "pgadmin"}) {
    EXPECT_FALSE(IsReported(name)) << name;
  }
}

// A word that stands for both.
TEST(WordLetters, WhatIsUserAndPasswordAtOnceIsNotReported) {
  for (const char* text :
       {"amqp://passwd:passwd@host", "amqp://passwd:passwd@10.0.0.5:5672/%2F", "mysql://user:user@db-1.local:3306/x",
        "amqp://password:password@Host/vhost", "http://pwd:pwd@192.168.0.1/", "redis://db_pass:db_pass@cache-2:6379",
        R"("url": "amqp:\/\/passwd:passwd@Rabbit-1:5672")", "amqp://admin12:admin12@host", "ftp://guest2:guest2@e.org",
        "curl -u admin12:admin12 https://e.org/"}) {
    EXPECT_THAT(RulesIn(text), IsEmpty()) << text;
  }
  const std::string random = "kqzvxwjp";
  EXPECT_THAT(RulesIn("amqp://" + random + ":" + random + "@host"), ElementsAre("url-password"));
  EXPECT_THAT(RulesIn("amqp://x7Kq2mZp9LwR:x7Kq2mZp9LwR@host"), ElementsAre("url-password"));
}

}  // namespace
}  // namespace turnlog::word_letters_test
