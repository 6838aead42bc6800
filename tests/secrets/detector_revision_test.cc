// What the detector finds in a fixed sample, by its revision: a redaction skips events that the same revision has
// searched.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/hash.h"
#include "sanitize/secrets/secret_rules_json.h"
#include "tests/secrets/built_in_detector.h"
#include "tests/secrets/encodings.h"
#include "tests/secrets/planted_secrets.h"
#include "tests/secrets/shapes.h"

namespace turnlog::detector_revision_test {
namespace {

// Generated from fixed seeds: every kind of key in every context, in random encodings, and nearly a key.
std::vector<std::string> Texts() {
  std::vector<std::string> texts;
  FakeSecrets fake(7);
  const auto add = [&](const std::string& text, std::string_view secret) {
    texts.push_back(text);
    texts.push_back("before " + EncodeSomehow(text, fake) + " after");
    texts.push_back(text.substr(0, text.find(secret) + secret.size() / 2));
  };
  for (std::uint32_t seed = 0; seed < 3; ++seed) {
    for (const PlantedSecret& planted : PlantedSecrets(seed)) add(planted.text(), planted.secret);
  }
  for (const std::string& context : Contexts()) {
    for (const KeyShape& key : KeyShapes()) {
      const std::string value = Sample(key.shape, fake);
      add(WriteIn(context, "field", value), value);
    }
    for (const NamedKeyShape& key : NamedKeyShapes()) {
      const std::string value = Sample(key.shape, fake);
      add(WriteIn(context, key.name, value), value);
    }
  }
  return texts;
}

// By the texts that it is found in: g++ and clang evaluate operands in different orders, so that each makes texts of
// its own from the same seeds.
struct KnownFindings {
  std::uint64_t texts, findings;
};
constexpr KnownFindings kKnown[] = {{0x49bc0fa31da1a195, 0xafcbc60027932cc1},   // g++
                                    {0x25f82d8bfc60cb79, 0x15e3a01c541e1b7d}};  // clang

TEST(DetectorRevision, WasRaisedWithWhatIsFound) {
  constexpr int kRevision = 10;
  constexpr std::uint64_t kRules = 0xa53ddf95a00205b3;
  std::string all, findings;
  for (const std::string& text : Texts()) {
    for (const FoundSecret& found : Detector().Find(text))
      findings += fmt::format("{} {} {} ", Detector().rule(found.rule).id, found.span.begin, found.span.end);
    findings += '\n';
    all += text + '\n';
  }
  const bool known = std::ranges::any_of(kKnown, [&](const KnownFindings& each) {
    return each.texts == Hash64(all) && each.findings == Hash64(findings);
  });
  EXPECT_TRUE(kDetectorRevision == kRevision && known && Hash64(kSecretRulesJson) == kRules) << fmt::format(
      "The rules, or what they find, have changed. If the detector may find more with the same rules, raise "
      "kDetectorRevision. Then write here: revision {}, texts {:#x}, findings {:#x}, rules {:#x}.",
      kDetectorRevision, Hash64(all), Hash64(findings), Hash64(kSecretRulesJson));
}

}  // namespace
}  // namespace turnlog::detector_revision_test
