// Passwords that are a word and a number: secrets where somebody gives them, not where a text or a program speaks of
// them.
#include <gmock/gmock.h>

#include <string>

#include "tests/secrets/built_in_detector.h"
#include "tests/secrets/shapes.h"

namespace turnlog::weak_passwords_test {
namespace {

using testing::IsEmpty;
using testing::Not;

constexpr const char* kPasswords[] = {"hunter2",  "Cisco123",   "Summer2024", "Winter-2023!", "Dragon12",
                                      "W1nter12", "Yoga@123$%", "monkey77",   "Tiger.1",      "GreenGarden123!"};

TEST(WeakPasswords, AreFoundWhereTheyAreGiven) {
  for (const char* context : {
           "password: {v}",
           "password: {v}\nuser: x",
           "  db_password = {v}\n",
           "  - password: '{v}'\n",
           "passwd: \"{v}\"",
           "MYSQL_ROOT_PASSWORD={v}\n",
           "export DB_PASSWORD='{v}'\n",
           "ENV DB_PASSWORD={v}\n",
           "{\"user\": \"x\", \"password\": \"{v}\"}",
           "$ PGPASSWORD={v} psql -h db.example.org",
           "cd x && MYSQL_PWD={v} mysql -u root",
           "run --password {v} --host x",
           "run --password={v}",
           "run --db-pass '{v}'",
           "Server=db;User Id=sa;Password={v};Encrypt=no",
           "\"Server=db;Uid=sa;Pwd={v}\"",
           "   12\u2192password: {v}\n",
           "+  password: {v}\n",
           "> password: {v}\n",
           "mysql -u root -p{v} app",
           "sshpass -p {v} ssh x",
           "curl -u admin:{v} https://example.org",
           "machine example.org login app password {v}",
       }) {
    for (const char* password : kPasswords) {
      const std::string text = WriteIn(context, "", password);
      EXPECT_THAT(RulesIn(text), Not(IsEmpty())) << text;
    }
  }
}

TEST(WeakPasswords, AreFoundInUrls) {
  for (const char* password : {"Cisco123", "Summer2024", "Winter-2023!", "monkey77", "Tiger.1"}) {
    const std::string text = WriteIn("postgres://app:{v}@db.example.org/app", "", password);
    EXPECT_THAT(RulesIn(text), Not(IsEmpty())) << text;
  }
}

TEST(WeakPasswords, PlaceholdersAreNone) {
  for (const char* context : {"password: {v}\n", "DB_PASSWORD={v}\n", "{\"password\": \"{v}\"}",
                              "run --password {v} -x", "x;Password={v};y=1"}) {
    for (const char* placeholder :
         {"changeme",    "changeme1",  "your_password", "your-password1", "password",        "password123",
          "Passw0rd1",   "xxx",        "xxxxxx12",      "example",        "example12",       "test1234",
          "testing123!", "secret1",    "admin123",      "user1",          "foobar12",        "qwerty123",
          "abc123",      "default1",   "string1",       "value12",        "sha256",          "md5",
          "param1",      "$PASSWORD2", "${DB_PASS1}",   "<password1>",    "{{ password1 }}", "%(pass1)s"}) {
      const std::string text = WriteIn(context, "", placeholder);
      EXPECT_THAT(RulesIn(text), IsEmpty()) << text;
    }
  }
}

TEST(WeakPasswords, AreNoneInCodeAndProse) {
  for (const char* text : {
           "connect(user, password=\"Cisco123\")",
           "if (password == \"Cisco123\") {",
           "const password = \"Cisco123\";",
           "client.login(name, password, buffer2)",
           "| password | Cisco123 |",
           "<password>Cisco123</password>",
           "self.password = password2",
           "password = cfg.password2\n",
           "password: Password1Type,",
           "encrypted_password_hash: Cisco123",
           "fake_password: Cisco123\n",
           "test_password=Cisco123\n",
           "password_file=secrets12\n",
           "password_encryption: scram256",
           "password_policy: level2\n",
       }) {
    EXPECT_THAT(RulesIn(text), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace turnlog::weak_passwords_test
