// What `serve` refuses before it makes anything.
#include <filesystem>

#include "tests/logctl/logctl_test.h"

namespace turnlog::serve_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ServeTest : public LogctlTest {};

TEST_F(ServeTest, TheCertificateIsReadFirst) {
  const std::string cert = (folder_ / "cert").string(), key = (folder_ / "key").string();
  const auto serve = [&](const Strings& more) {
    Strings words{"serve", "--store", store()};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = RunProgram(words);
    EXPECT_NE(ran.exit_code, 0);
    EXPECT_FALSE(fs::exists(store())) << ran.err;
    return ran.err;
  };
  EXPECT_THAT(serve({"--tls-cert", cert}), HasSubstr("--tls-key"));
  EXPECT_THAT(serve({"--tls-key", key}), HasSubstr("--tls-cert"));
  EXPECT_THAT(serve({"--tls-cert", cert, "--tls-key", key}), HasSubstr(folder_.path().string()));
  WriteFile("cert", "no certificate");
  WriteFile("key", "no key");
  fs::permissions(key, fs::perms::owner_read);
  EXPECT_THAT(serve({"--tls-cert", cert, "--tls-key", key}), HasSubstr(folder_.path().string()));
}

TEST_F(ServeTest, ASecondServiceSaysWhoHoldsTheStoreAndHowToReachIt) {
  Running service({"serve", "--store", store()});
  service.ReadLine();
  const Ran second = RunProgram({"serve", "--store", store()});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr("process " + std::to_string(service.id()) + " (logctl serve)"));
  EXPECT_THAT(second.err, HasSubstr("unix:" + store() + "/service.sock"));
}

}  // namespace
}  // namespace turnlog::serve_test
