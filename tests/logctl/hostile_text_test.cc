// What stored text may hold to deceive who reads it: sequences for terminals, marks of direction, characters of no
// width. No command shows it on a terminal.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "base/unicode.h"
#include "tests/logctl/logctl_test.h"

namespace turnlog::hostile_text_test {
namespace {

namespace fs = std::filesystem;

// These show nothing of a store, or write for programs.
const std::set<std::string> kOthers{"completion", "hook", "manual", "mcp"};

// As JSON has it, and as it is.
constexpr std::string_view kEscaped =
    R"(\u001b]0;t\u0007\u009b31m\u202e\u2066\u200b\u200d\u2060\ufeff\u00ad\udb40\udc21\u2028\u007f\u115f)";
constexpr std::string_view kHostile =
    "\x1b]0;t\a\u009b31m\u202e\u2066\u200b\u200d\u2060\ufeff\u00ad\U000e0021\u2028\x7f\u115f";

// In each part of an inquiry's id, which is made of those of its key.
std::string Hostile(const std::string& value, std::string_view hostile) {
  const bool is_id = value.ends_with(".1");
  return is_id ? std::regex_replace(value, std::regex("\\."), std::string(hostile) + ".")
               : value + std::string(hostile);
}

// The sample history with it in every string, but for those that say what an event is.
std::string HostileLines() {
  static const std::regex strings(R"re("(\w+)":"([^"]*)")re");
  static const std::set<std::string> structure{"type", "timestamp", "outcome", "source"};
  const std::string sample = SampleLines() + R"({"type":"x.note-KIND","event_id":"e1","deep":[{"a":"b"}]})";
  std::string lines;
  std::size_t end = 0;
  for (std::sregex_iterator found(sample.begin(), sample.end(), strings), none; found != none; ++found) {
    const auto at = static_cast<std::size_t>(found->position());
    lines += sample.substr(end, at - end);
    end = at + static_cast<std::size_t>(found->length());
    const std::string key = (*found)[1], value = (*found)[2];
    lines += fmt::format(R"("{}":"{}")", key, structure.contains(key) ? value : Hostile(value, kEscaped));
  }
  lines += sample.substr(end);
  return lines.replace(lines.find("KIND"), 4, kEscaped) + "\n";
}

class HostileTextTest : public LogctlTest {
 protected:
  HostileTextTest() {
    const std::string lines = HostileLines();
    Append(name_, lines);
    fs::create_directory(folder_ / hostile_);
    WriteFile(hostile_ + "/talk.jsonl", lines);
    WriteFile(hostile_ + "/session.jsonl",
              fmt::format(R"({{"type":"user{0}","uuid":"{0}","sessionId":"s{0}","message":{{"role":"user{0}"}}}})",
                          kEscaped));
    WriteFile(
        hostile_ + "/request.json",
        fmt::format(R"({{"model":"m{0}","x{0}":1,"messages":[{{"role":"user{0}","content":[{{"type":"t{0}"}}]}}]}})",
                    kEscaped));
    WriteFile(hostile_ + "/key",
              "token{0} = \"gh"
              "p_Zr8Qw3Lk5Vn1Xc7Jm2Tb9Hd4Fg6Ys0PaEuRi\"");
    WriteFile("rules.json", fmt::format(R"({{"version":1,"rules":[{{"id":"a{0}","regex":"("}}]}})", kEscaped));
    fs::copy(store(), folder_ / "pristine", fs::copy_options::recursive);
  }

  std::string In(std::string_view name) const { return (folder_ / hostile_ / name).string(); }

  std::string Shown(const Strings& words) {
    fs::remove_all(store());
    fs::copy(folder_ / "pristine", store(), fs::copy_options::recursive);
    Strings all{"--store", store()};
    all.insert(all.end(), words.begin(), words.end());
    const std::string shown =
        ShowOnTerminal(all, {"TERM=dumb", "PAGER=cat", "NO_COLOR=1", "HOME=" + folder_.path().string()});
    return std::regex_replace(shown, std::regex("\x1b\\[K"), "");  // where progress was shown
  }
  // Nothing but safe characters and line breaks.
  static void ExpectSafe(const Strings& words, std::string_view shown) {
    for (const std::string& line : Lines(shown)) {
      for (CharacterReader characters(line); const auto character = characters.Next();) {
        ASSERT_TRUE(character->safe) << testing::PrintToString(words) << "\n" << testing::PrintToString(line);
      }
    }
  }

  const std::string hostile_{kHostile};
  // What the id of a conversation may hold of it.
  const std::string name_ = "talk\u202e\u2066\u200b\u200d\u2060\ufeff\u00ad\U000e0021";
};

TEST_F(HostileTextTest, IsShownByNoCommand) {
  const std::string out = (folder_ / hostile_ / "out").string();
  const std::map<std::string, std::vector<Strings>> uses{
      {"answer", {{"answer", name_, "--value", hostile_}, {"answer", hostile_}}},
      {"append", {{"append", hostile_ + "/"}}},
      {"backup", {{"backup", out}, {"backup", In("talk.jsonl")}}},
      {"cancel", {{"cancel", name_, "--all"}, {"cancel", hostile_}}},
      {"cat", {{"cat", name_}, {"cat", name_, "--raw"}, {"cat", hostile_}}},
      {"denials", {{"denials", name_, "--last-turn"}, {"denials", name_, "--json"}}},
      {"doctor", {{"doctor", In("")}, {"doctor", In("session.jsonl"), "--plan"}, {"doctor", In("none")}}},
      {"explain", {{"explain", hostile_}}},
      {"export",
       {{"export", name_, "--format", "jsonl"},
        {"export", name_, "--format", "markdown"},
        {"export", name_, "--format", "html"},
        {"export", name_, "--format", "handoff"},
        {"export", name_, "--format", "anthropic"},
        {"export", name_, "--format", "openai-responses"},
        {"export", name_, "--format", "codex"},
        {"export", name_, "--format", "jp", "--to", In("talk.jsonl")},
        {"export", name_, "--format", hostile_},
        {"export", hostile_, "--format", "jsonl"}}},
      {"get",
       {{"get", name_, Hostile("call_1.overwrite.1", kHostile)},
        {"get", name_, Hostile("call_1.overwrite.1", kHostile), "--json"},
        {"get", name_, hostile_}}},
      {"import",
       {{"import", "jsonl", In("talk.jsonl")},
        {"import", "claude-code", In("session.jsonl")},
        {"import", "auto", In("")},
        {"import", hostile_, In("")},
        {"import", "jsonl", In("none")}}},
      {"lint", {{"lint", "anthropic", In("request.json")}, {"lint", "gemini", In("request.json"), "--json"}}},
      {"ls", {{"ls"}, {"ls", "--json"}, {"ls", "--sort", hostile_}}},
      {"pending", {{"pending"}, {"pending", "--json"}}},
      {"provenance", {{"provenance", name_}, {"provenance", name_, "--json"}}},
      {"redact",
       {{"redact", "--inquiry", Hostile("call_1.overwrite.1", kHostile), "--dry-run"},
        {"redact", "--inquiry", Hostile("call_9.none.1", kHostile)},
        {"redact", "--inquiry", hostile_},
        {"redact", "--value-file", In("key"), "--dry-run", "--report"},
        {"redact", "--detect", "--rules", (folder_ / "rules.json").string()},
        {"redact", "--detect", "--baseline", In("talk.jsonl")}}},
      {"reindex", {{"reindex"}}},
      {"repairs", {{"repairs", name_}, {"repairs", hostile_}}},
      {"resume", {{"resume", name_, "--in", "codex", "--cwd", In(""), "--dry-run"}}},
      {"restore", {{"restore", In("none"), out}}},
      {"sanitize", {{"sanitize"}, {"sanitize", "--dry-run", "--json"}, {"sanitize", hostile_}}},
      {"scan", {{"scan", In("")}, {"scan", In(""), "--explain"}, {"scan", In(""), "--json"}, {"scan", In("none")}}},
      {"scavenge", {{"scavenge"}}},
      {"search",
       {{"search", "written"},
        {"search", "written", "--json"},
        {"search", "written", "--raw"},
        {"search", "written", "--count"},
        {"search", hostile_},
        {"search", "[" + hostile_}}},
      {"serve", {{"serve", "--tls-cert", In("key"), "--tls-key", In("key"), "--listen", "127.0.0.1:0"}}},
      {"show", {{"show", name_}, {"show", name_, "--full"}, {"show", name_, "--json"}, {"show", hostile_}}},
      {"state", {{"state", name_}, {"state", name_, "--json"}, {"state", hostile_}}},
      {"stats", {{"stats"}}},
      {"store", {{"store", "copy", In("none"), out}, {"store", hostile_}}},
      {"tail", {{"tail"}, {"tail", "--json"}}},
      {"token", {{"token", "add", hostile_}, {"token", hostile_}}},
      {"usage", {{"usage", "--by", "conversation"}, {"usage", "--json"}}},
      {"verify", {{"verify"}}},
      {hostile_, {{hostile_}, {"--" + hostile_}}},
  };
  for (const std::string& command : Commands()) {
    SCOPED_TRACE(command);
    ASSERT_TRUE(uses.contains(command) || kOthers.contains(command)) << "not entered here";
  }
  for (const auto& [command, lines] : uses) {
    std::string shown;
    for (const Strings& words : lines) {
      shown += Shown(words);
      ExpectSafe(words, shown);
    }
    EXPECT_NE(shown, "") << command;
  }
}

}  // namespace
}  // namespace turnlog::hostile_text_test
