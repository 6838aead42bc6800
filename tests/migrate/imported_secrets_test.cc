// Secrets are counted the same on a thread beside the import as within it.
#include "migrate/import/imported_secrets.h"

#include <gmock/gmock.h>

#include <string>

#include "migrate/import/secret_search.h"
#include "tests/support/fake_token.h"
#include "tests/support/must.h"

namespace turnlog::imported_secrets_test {
namespace {

using testing::ElementsAre;
using testing::Pair;

HeldEvent Says(std::string text) {
  Event event{.body = ChatRequest{.content = std::move(text), .author = {}, .schema = {}},
              .timestamp = {},
              .event_id = {},
              .metadata = {},
              .extra = {},
              .source_text = {}};
  return HeldEvent::Encode(View(event));
}

TEST(ImportedSecretsTest, AreTheSameBesideTheImport) {
  constexpr int kEvents = 3'000, kEach = 7;
  const auto search = Must(SecretSearch::Make(SecretDetection::kReport));
  for (const bool beside : {false, true}) {
    ImportedSecrets secrets(*search, beside);
    for (int i = 0; i < kEvents; ++i) {
      const std::string words(i % 1'000 == 999 ? 100'000 : 400, 'x');
      const HeldEvent event = Says(words + (i % kEach == 0 ? " " + kFakeToken : " nothing"));
      secrets.Count({&event.event, 1});
    }
    ImportedSecrets::Found found;
    secrets.AddTo(found);
    EXPECT_THAT(found, ElementsAre(Pair("github-token", (kEvents + kEach - 1) / kEach))) << beside;
    const HeldEvent one = Says(kFakeToken);
    secrets.Count({&one.event, 1});
    secrets.AddTo(found);
    EXPECT_THAT(found, ElementsAre(Pair("github-token", (kEvents + kEach - 1) / kEach + 1))) << beside;
  }
}

TEST(ImportedSecretsTest, AreForgottenWithIt) {
  const auto search = Must(SecretSearch::Make(SecretDetection::kReport));
  const HeldEvent event = Says(std::string(10'000, 'x'));
  ImportedSecrets secrets(*search, true);
  for (int i = 0; i < 100; ++i) secrets.Count({&event.event, 1});
}

}  // namespace
}  // namespace turnlog::imported_secrets_test
