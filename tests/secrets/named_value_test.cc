#include "sanitize/secrets/named_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace turnlog::named_value_test {
namespace {

using testing::Eq;
using testing::Optional;

std::optional<NamedValue> Read(std::string_view text) {
  const std::size_t at = text.find("NAME");
  return ReadNamedValue(text, {at, at + 4});
}

std::string ValueIn(std::string_view text) {
  const auto named = Read(text);
  return named ? std::string(text.substr(named->value.begin, named->value.size())) : "";
}

TEST(NamedValue, IsReadInEveryNotation) {
  for (const char* text : {"NAME=v1",
                           "NAME = v1",
                           "NAME=\"v1\"",
                           "NAME = 'v1';",
                           "export NAME=v1\n",
                           "NAME := `v1`",
                           "NAME ::= v1",
                           "NAME ?= v1",
                           "NAME += \"v1\"",
                           "$NAME .= \"v1\"",
                           "'NAME' => 'v1',",
                           "\"NAME\": \"v1\"",
                           "\\\"NAME\\\": \\\"v1\\\"",
                           "NAME: v1",
                           "NAME: |\n  v1\n",
                           "NAME: >-\n  v1\n",
                           "\"NAME\":\n  \"v1\"",
                           "var NAME string = \"v1\"",
                           "NAME: str = \"v1\"",
                           "let NAME: &str = \"v1\"",
                           "NAME: Option<String> = \"v1\"",
                           "char NAME[64] = \"v1\";",
                           "os.environ[\"NAME\"] = \"v1\"",
                           "config['a']['NAME'] = 'v1'",
                           "getenv(\"NAME\", \"v1\")",
                           "setNAME(\"v1\")",
                           "Client.builder().NAME(\"v1\")",
                           "NAME <- \"v1\"",
                           "x.NAME !== 'v1'",
                           "variable \"NAME\" {\n  type = string\n  default = \"v1\"\n}",
                           "<property name=\"NAME\">v1</property>",
                           "az secret set --name NAME --value v1",
                           "gh secret set NAME --body \"v1\"",
                           "NAME=v1;other=2\n",
                           "Your new NAME:\n\n    v1\n",
                           "the NAME is: v1",
                           "NAME - v1",
                           "process.env.NAME || \"v1\"",
                           "x.NAME ?? 'v1'",
                           "<NAME>v1</NAME>",
                           "<ns:NAME>\n  v1\n</ns:NAME>",
                           "<add key=\"NAME\" value=\"v1\"/>",
                           "{\"name\": \"NAME\", \"value\": \"v1\"}",
                           "- name: NAME\n  value: v1\n",
                           "<td>NAME</td><td>v1</td>",
                           "| NAME | v1 |",
                           "| **NAME** | `v1` |",
                           "NAME,v1,",
                           "\u2502 NAME \u2502 v1 \u2502",
                           "ENV NAME v1\n",
                           "NAME = [[v1]]",
                           "das NAME lautet v1.",
                           "\x1b[32mNAME\x1b[0m=\x1b[33mv1\x1b[0m",
                           "\x1b[34;1m\"NAME\"\x1b[0m\x1b[1;39m:\x1b[0m \x1b[0;32m\"v1\"\x1b[0m",
                           "--NAME v1 --other",
                           "--NAME=v1",
                           "-DNAME=v1",
                           "?NAME=v1&b=2",
                           "a=1&NAME=v1#top",
                           "WITH NAME 'v1'",
                           "NAME is v1",
                           "the NAME v1 is",
                           "NAME: Bearer v1",
                           "NAME: \"Token v1\"",
                           "if (NAME === 'v1')",
                           "NAME=b'v1'",
                           "NAME = (\"v1\")",
                           "NAME: [\"v1\"]",
                           "Server=a;NAME=v1;b=c",
                           "**NAME:** v1"}) {
    EXPECT_EQ(ValueIn(text), "v1") << text;
  }
}

TEST(NamedValue, IsNotReadWhereThereIsNone) {
  for (const char* text : {"NAME", "NAME=", "NAME=\nOTHER=v1", "NAME=\"\"", "NAME()", "NAME(v1)", "NAME)", "NAME.",
                           "a NAME; v1", "NAME\nv1", "NAME > 1", "\"NAME\" v1", "f(NAME, v1)"})
    EXPECT_EQ(ValueIn(text), "") << text;
}

TEST(NamedValue, TheNameIsTheWholeIdentifier) {
  const auto name = [](std::string_view text) { return text.substr(Read(text)->name.begin, Read(text)->name.size()); };
  EXPECT_EQ(name("my_NAME_2=v"), "my_NAME_2");
  EXPECT_EQ(name("a.b-NAME.c: v"), "a.b-NAME.c");
  EXPECT_EQ(name("x AWS::NAME: \"v\""), "::NAME");
}

TEST(NamedValue, TheFormTellsHowItIsWritten) {
  const auto form = [](std::string_view text) { return Read(text)->form; };
  EXPECT_EQ(form("f(NAME=v)"), ValueForm::kAssigned);
  EXPECT_EQ(form("f(\"NAME\", \"v\")"), ValueForm::kArgument);
  EXPECT_EQ(form("|NAME|v|"), ValueForm::kColumn);
  EXPECT_EQ(form("<NAME>v</NAME>"), ValueForm::kElement);
  EXPECT_EQ(form("--NAME v"), ValueForm::kFlag);
  EXPECT_EQ(form("NAME v"), ValueForm::kProse);
}

TEST(NamedValue, ASettingIsNoCode) {
  const auto form = [](std::string_view text) { return Read(text)->form; };
  for (const char* text : {"NAME=v", "db.NAME=v", "  NAME: v\r\n", "NAME: 'v',\n", "  - NAME: \"v\"\n",
                           "export NAME=v\n", "ENV NAME='v'\n", "+NAME: v\n", "-NAME: v\n", "  12\u2192NAME: v\n",
                           "12:NAME=v\n", "{\"a\": 1, \"NAME\": \"v\"}", "x; NAME=v psql", "NAME='v' psql",
                           "run --NAME=v -x", "run --NAME 'v' -x", "A=b;NAME=v;C=d", "\"A=b;NAME=v\""})
    EXPECT_EQ(form(text), ValueForm::kSetting) << text;
  for (const char* text : {"f(NAME=\"v\")", "NAME = \"v\";\n", "const NAME = \"v\"\n", "if (NAME === 'v')",
                           "# NAME: v\n", "\"NAME\": v,\n", "{'NAME': 'v'}", "f(-NAME => 'v')", "use NAME: v"})
    EXPECT_EQ(form(text), ValueForm::kAssigned) << text;
}

TEST(NamedValue, ASettingTakesTheWholeLine) {
  EXPECT_EQ(ValueIn("NAME=a,b;c)d\n"), "a,b;c)d");
  EXPECT_EQ(ValueIn("x(NAME=a,b)\n"), "a");
  EXPECT_EQ(ValueIn("export NAME=a|b\n"), "a|b");
}

TEST(NamedValue, QuotesEndTheValueOnTheSameLine) {
  EXPECT_EQ(ValueIn("NAME=\"a b,c\" d"), "a b,c");
  EXPECT_EQ(ValueIn("NAME=\"a\nb\""), "a");
  EXPECT_EQ(ValueIn("NAME='''a'''"), "a");
}

}  // namespace
}  // namespace turnlog::named_value_test
