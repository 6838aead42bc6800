// `logctl serve` as a process: what it refuses before it makes anything, sockets, signals.
#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>

#include "tests/logctl/logctl_test.h"
#include "turnlog/json.h"

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
  EXPECT_EQ(RunProgram({"serve", "--store", store(), "--tls-cert", cert}).exit_code, 2);
  EXPECT_EQ(RunProgram({"serve", "--store", store(), "--notify", "foo"}).exit_code, 2);
  EXPECT_THAT(serve({"--tls-cert", cert}), HasSubstr("--tls-key"));
  EXPECT_THAT(serve({"--tls-key", key}), HasSubstr("--tls-cert"));
  EXPECT_THAT(serve({"--tls-cert", cert, "--tls-key", key}), HasSubstr(folder_.path().string()));
  WriteFile("cert", "no certificate");
  WriteFile("key", "no key");
  fs::permissions(key, fs::perms::owner_read);
  EXPECT_THAT(serve({"--tls-cert", cert, "--tls-key", key}), HasSubstr(folder_.path().string()));
}

TEST_F(ServeTest, RefusesWhatDoesNotGoTogetherBeforeItMakesAnything) {
  for (const Strings& more : std::vector<Strings>{
           {"--behind-proxy", "--public-url", "https://a.example"}, {"--public-url", "foo"}, {"--base-path", "foo"}}) {
    Strings words{"serve", "--store", store()};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_THAT(RunProgram(words), Fails(2)) << more.front();
    EXPECT_FALSE(fs::exists(store())) << more.front();
  }
}

TEST_F(ServeTest, ATokenIsListedWithEverythingThatItMayDo) {
  AppendSample();
  Logctl({"token", "add", "phone", "--right", "answer"});
  const JsonValue tokens = Json({"token", "list"});
  ASSERT_EQ(tokens["tokens"][0]["rights"].Size(), 2U);
  EXPECT_EQ(tokens["tokens"][0]["rights"][0].Text(), "read");
  EXPECT_EQ(tokens["tokens"][0]["rights"][1].Text(), "answer");
  EXPECT_THAT(Logctl({"token", "list", "phone"}), Fails(2));
  EXPECT_THAT(Logctl({"token", "remove", "phone", "--right", "answer"}), Fails(2));
}

TEST_F(ServeTest, AServiceIsNoFolder) {
  EXPECT_THAT(RunProgram({"ls", "--store", "http://127.0.0.1:9"}), FailsWith(1, "refused"));
  EXPECT_THAT(RunProgram({"ls", "--store", "unix:/nowhere/service.sock"}), FailsWith(1, "/nowhere/service.sock"));
  for (const Strings& words : std::vector<Strings>{{"token", "list"}, {"verify"}, {"backup", "to"}, {"serve"}}) {
    for (const char* location : {"unix:/nowhere/service.sock", "http://127.0.0.1:9", "https://127.0.0.1:9"}) {
      Strings all = words;
      all.insert(all.end(), {"--store", location});
      EXPECT_THAT(RunProgram(all), FailsWith(1, "through a service")) << words.front();
    }
  }
}

// As systemd starts it: `listen` is descriptor 3.
pid_t StartWithSocket(const std::string& store, const std::string& listen) {
  const int number = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, listen.c_str(), sizeof name.sun_path - 1);
  EXPECT_EQ(::bind(number, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0) << listen;
  EXPECT_EQ(::chmod(listen.c_str(), 0600), 0);
  EXPECT_EQ(::listen(number, 8), 0);
  const pid_t process = ::fork();
  if (process == 0) {
    (void)::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
    (void)::setenv("LISTEN_FDS", "1", 1);
    if (number != 3) (void)::dup2(number, 3);
    if (number == 3) (void)::fcntl(3, F_SETFD, 0);
    ::execl(LogctlProgram(), LogctlProgram(), "--store", store.c_str(), "serve", "-q", nullptr);
    ::_exit(127);
  }
  ::close(number);
  return process;
}

TEST_F(ServeTest, TakesOverTheSocketThatASystemManagerPassesOn) {
  fs::create_directory(store());
  const std::string socket = store() + "/service.sock";
  const pid_t service = StartWithSocket(store(), socket);
  // Connects before the service may run, and waits for it.
  const Ran written = RunProgram({"append", "a", "--store", "unix:" + socket}, R"({"type":"turn_start"})"
                                                                               "\n");
  EXPECT_EQ(written.exit_code, 0) << written.err;
  ::kill(service, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(service, &status, 0), service);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::exists(socket)) << "it is the manager's";
}

// As logrotate moves a file away and tells the service. SIGTERM then ends it in good order.
TEST_F(ServeTest, ReopensItsLogFileWhenToldAndEndsInGoodOrder) {
  const std::string log = (folder_ / "requests.jsonl").string(), moved = (folder_ / "requests.1").string();
  Running service({"serve", "--store", store(), "--log", log});
  EXPECT_THAT(service.ReadLine(), HasSubstr("serving at"));
  const auto append = [&] {
    const Ran ran = RunProgram({"append", "a", "--store", store()}, R"({"type":"chat_request","content":"hidden"})"
                                                                    "\n");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
  };
  constexpr const char* kAppended = R"("operation":"appendMany","status":200)";
  // A line is written after the answer, and the file is reopened after the signal.
  while (!ReadFile("requests.jsonl").contains(kAppended)) append();
  fs::rename(log, moved);
  service.Signal(SIGHUP);
  while (!fs::exists(log) || !ReadFile("requests.jsonl").contains(kAppended)) append();
  const std::string before = ReadFile("requests.1");
  append();
  service.Signal(SIGTERM);
  EXPECT_EQ(service.Wait(), 0);
  EXPECT_FALSE(fs::exists(store() + "/service.sock"));
  EXPECT_EQ(ReadFile("requests.1"), before);
  EXPECT_THAT(before, HasSubstr(R"("event":"start")"));
  for (const char* line : {R"("event":"reload")", R"("event":"stop")"}) {
    EXPECT_THAT(ReadFile("requests.jsonl"), HasSubstr(line));
  }
  for (const std::string& lines : {before, ReadFile("requests.jsonl")}) {
    EXPECT_THAT(lines, testing::Not(HasSubstr("hidden")));
    std::istringstream each(lines);
    for (std::string line; std::getline(each, line);) EXPECT_TRUE(ParseJson(line)) << line;
  }
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
