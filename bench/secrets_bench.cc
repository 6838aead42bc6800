// Searching for secrets, by the rules and for given values: in single events, and in this project's documents and
// sources, plain and in base64, which stand for the texts that agents read. One peer matches each expression of the
// rules against the whole text, without keywords, names, and decoded layers; memchr, which looks for one byte that is
// not there, is what no search can be faster than.
#include <re2/re2.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/base64.h"
#include "bench/register.h"
#include "bench/stores.h"
#include "sanitize/secrets/secret_detector.h"
#include "sanitize/secrets/secret_matcher.h"
#include "sanitize/secrets/secret_regex.h"

namespace turnlog {
namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string ReadLines(Mix mix) { return ReadFile(StoredLines(mix)); }

// The files below a folder of this project that have the extension.
std::string ReadFiles(const char* folder, std::string_view extension) {
  std::string text;
  const auto root = std::filesystem::path(TURNLOG_SOURCE_DIR) / folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() == extension) text += ReadFile(entry.path());
  }
  return text;
}

template <class FindFn>
void SearchWhole(benchmark::State& state, const std::string& text, FindFn find) {
  for (auto _ : state) {
    if (find(text)) state.SkipWithError("something was found where there is nothing");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void ByRulesIn(benchmark::State& state, const std::string& text) {
  const auto detector = Must(SecretDetector::Make(BuiltInSecretRules()));
  SearchWhole(state, text, [&](std::string_view each) { return !detector->Find(each).empty(); });
}

std::vector<SecretString> Values(std::size_t count) {
  std::vector<SecretString> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) values.emplace_back(fmt::format("Kx{}q!{}Zr{}", i * 7919, i, i * 104729));
  return values;
}

void ValuesIn(benchmark::State& state, const std::string& text, std::size_t count) {
  const SecretMatcher matcher(Values(count));
  SearchWhole(state, text, [&](std::string_view each) { return !matcher.Find(each).empty(); });
}

void OneByteIn(benchmark::State& state, const std::string& text) {
  SearchWhole(state, text, [](std::string_view each) { return each.contains('\x01'); });
}

template <class FindFn>
void Search(benchmark::State& state, Mix mix, FindFn find) {
  const std::string text = ReadLines(mix);
  for (auto _ : state) {
    std::size_t found = 0;
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t end = rest.find('\n');
      found += find(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
    if (found != 0) state.SkipWithError("a secret was found where there is none");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(StoredEvents(mix)));
}

void ByRules(benchmark::State& state, Mix mix) {
  const auto detector = Must(SecretDetector::Make(BuiltInSecretRules()));
  Search(state, mix, [&](std::string_view text) { return detector->Find(text).size(); });
}

void ByEachExpression(benchmark::State& state, Mix mix) {
  std::vector<std::unique_ptr<RE2>> expressions;
  for (const SecretRule& rule : BuiltInSecretRules().rules) {
    if (rule.named) continue;
    expressions.push_back(std::make_unique<RE2>(rule.regex, SecretRegexOptions()));
  }
  Search(state, mix, [&](std::string_view text) {
    std::size_t found = 0;
    for (const auto& expression : expressions)
      found += RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *expression) ? 1 : 0;
    return found;
  });
}

void OccurrencesOf(benchmark::State& state, Mix mix, std::size_t count) {
  const SecretMatcher finder(Values(count));
  Search(state, mix, [&](std::string_view text) { return finder.Find(text).size(); });
}

}  // namespace

void RegisterBenchmarks() {
  const auto add_files = [](std::string_view name, const std::string& text) {
    const auto add = [&](std::string_view row, std::string_view engine, auto run) {
      RegisterRow(fmt::format("{} in {}", row, name), engine, [=](benchmark::State& state) {
        run(state, text);
      })->Unit(benchmark::kMillisecond);
    };
    add("secrets by rules", "turnlog", ByRulesIn);
    add("secrets by rules", "memchr", OneByteIn);
    for (const std::size_t count : {std::size_t{20}, std::size_t{1000}}) {
      add(fmt::format("occurrences of {} values", count), "turnlog",
          [=](benchmark::State& state, const std::string& each) { ValuesIn(state, each, count); });
    }
  };
  const std::string sources = ReadFiles("store", ".cc");
  std::string base64;
  AppendBase64(sources, base64);
  add_files("documents", ReadFiles("docs", ".md"));
  add_files("sources", sources);
  add_files("base64 of sources", base64);
  for (const Mix mix : {Mix::kSmall, Mix::kMixed}) {
    const auto add = [&](std::string_view row, std::string_view engine, auto run) {
      RegisterRow(fmt::format("{}, {}", row, ToString(mix)), engine, run)->Unit(benchmark::kMillisecond);
    };
    add("secrets by rules, none there", "turnlog", [=](benchmark::State& state) { ByRules(state, mix); });
    add("secrets by rules, none there", "RE2", [=](benchmark::State& state) { ByEachExpression(state, mix); });
    add("occurrences of 1 value, none there", "turnlog",
        [=](benchmark::State& state) { OccurrencesOf(state, mix, 1); });
    add("occurrences of 1000 values, none there", "turnlog",
        [=](benchmark::State& state) { OccurrencesOf(state, mix, 1000); });
  }
}

}  // namespace turnlog
