#include "tests/support/postgres_server.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

namespace turnlog {
namespace {

namespace fs = std::filesystem;

void Require(bool condition, const std::string& what) {
  if (condition) return;
  ADD_FAILURE() << what;
  std::abort();
}

// The folder with the programs of the newest version.
std::optional<fs::path> ServerPrograms() {
  std::vector<fs::path> found;
  for (const char* parent : {"/usr/lib/postgresql", "/usr/local/pgsql", "/usr/pgsql"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(parent, error)) {
      if (fs::exists(entry.path() / "bin" / "initdb")) found.push_back(entry.path() / "bin");
    }
  }
  if (found.empty()) return std::nullopt;
  return *std::ranges::max_element(found, {},
                                   [](const fs::path& bin) { return std::atoi(bin.parent_path().filename().c_str()); });
}

// The server refuses to run as root.
const passwd* UnprivilegedUser() {
  if (::geteuid() != 0) return nullptr;
  const passwd* user = ::getpwnam("postgres");
  return user != nullptr ? user : ::getpwnam("nobody");
}

// Starts a program that dies with this one. Its output goes to the file.
pid_t Spawn(const std::vector<std::string>& arguments, const fs::path& output) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const passwd* user = UnprivilegedUser();
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  ::dup2(file, 1);
  ::dup2(file, 2);
  const bool dropped =
      user == nullptr || (::setgroups(0, nullptr) == 0 && ::setgid(user->pw_gid) == 0 && ::setuid(user->pw_uid) == 0);
  // After the change of user, which resets it.
  if (!dropped || ::prctl(PR_SET_PDEATHSIG, SIGQUIT) != 0 || ::getppid() != parent) ::_exit(126);
  ::setpgid(0, 0);  // not the terminal's Ctrl-C
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

int Await(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

using ConnectionPtr = std::unique_ptr<PGconn, decltype(&PQfinish)>;
using ResultPtr = std::unique_ptr<PGresult, decltype(&PQclear)>;

std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    constexpr const char* kDigits = "0123456789ABCDEF";
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.') {
      escaped.push_back(c);
    } else {
      escaped.append({'%', kDigits[static_cast<unsigned char>(c) >> 4], kDigits[static_cast<unsigned char>(c) & 15]});
    }
  }
  return escaped;
}

}  // namespace

bool PostgresServer::IsInstalled() { return ServerPrograms().has_value(); }

PostgresServer& PostgresServer::Shared() {
  static PostgresServer server;
  return server;
}

PostgresServer::PostgresServer(std::vector<std::string> configuration) : settings_(std::move(configuration)) {
  Make(
      {"initdb", "-D", (folder_ / "data").string(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"});
}

PostgresServer::PostgresServer(StandbyOf of) {
  Make({"pg_basebackup", "-D", (folder_ / "data").string(), "-h", of.primary.folder(), "-U", "postgres", "-R", "-c",
        "fast", "-N"});
  AwaitStreaming(of.primary);
}

// `program` makes the folder of the data.
void PostgresServer::Make(const std::vector<std::string>& program) {
  const auto programs = ServerPrograms();
  Require(programs.has_value(), kMissing);
  if (const passwd* user = UnprivilegedUser()) {
    Require(::chown(folder_.path().c_str(), user->pw_uid, user->pw_gid) == 0, "chown");
  }
  std::vector<std::string> arguments = program;
  arguments.front() = (*programs / program.front()).string();
  Require(Await(Spawn(arguments, folder_ / "log")) == 0, program.front() + " failed: " + Log());
  Start();
}

PostgresServer::~PostgresServer() { Stop(SIGQUIT); }

// The processes of a server that was killed end a little later. Meanwhile no other one starts: their shared memory, the
// last that its file names, is in use.
void PostgresServer::AwaitEndOfLast() const {
  constexpr int kLine = 7;
  std::ifstream file(folder_ / "data" / "postmaster.pid");
  std::string line;
  for (int i = 0; i < kLine; ++i) std::getline(file, line);
  std::istringstream numbers(line);
  long key = 0;
  int id = 0;
  if (!(numbers >> key >> id)) return;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  for (shmid_ds memory{}; ::shmctl(id, IPC_STAT, &memory) == 0 && memory.shm_nattch > 0;) {
    Require(std::chrono::steady_clock::now() < deadline, "the server that was killed does not end: " + Log());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void PostgresServer::Start() {
  AwaitEndOfLast();
  std::vector<std::string> arguments{(*ServerPrograms() / "postgres").string(),
                                     "-D",
                                     (folder_ / "data").string(),
                                     "-k",
                                     folder_.path().string(),
                                     "-h",
                                     ""};
  std::vector<std::string> settings{"shared_buffers=32MB", "max_wal_size=128MB", "log_min_messages=warning",
                                    "max_connections=50"};
  settings.insert(settings.end(), settings_.begin(), settings_.end());
  for (const std::string& setting : settings) arguments.insert(arguments.end(), {"-c", setting});
  process_ = Spawn(arguments, folder_ / "log");
  AwaitConnections();
}

// A server is asked whether it accepts connections, as by pg_ctl. Waiting ends with the answer or with the process;
// only one that hangs takes until the deadline.
void PostgresServer::AwaitConnections() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  while (PQping(Url().c_str()) != PQPING_OK) {
    Require(::waitpid(process_, nullptr, WNOHANG) == 0, "the server has ended: " + Log());
    Require(std::chrono::steady_clock::now() < deadline, "the server does not start: " + Log());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // leaves the processor to it
  }
}

// A standby answers as soon as it is consistent, which is before it is connected with the primary.
void PostgresServer::AwaitStreaming(const PostgresServer& primary) const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  while (primary.Ask("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == "0") {
    Require(std::chrono::steady_clock::now() < deadline, "the standby does not follow: " + Log());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void PostgresServer::Stop(int signal) {
  if (process_ == 0) return;
  ::kill(process_, signal);
  Await(process_);
  process_ = 0;
}

std::string PostgresServer::Url(const std::string& schema, const std::string& user) const {
  return "postgresql:///postgres?host=" + Escaped(folder_.path().string()) + "&user=" + user +
         "&options=" + Escaped("-csearch_path=" + schema);
}

std::string PostgresServer::Ask(const std::string& query) const {
  const ConnectionPtr connection(PQconnectdb(Url().c_str()), PQfinish);
  PQsetNoticeProcessor(connection.get(), [](void*, const char*) {}, nullptr);
  const ResultPtr result(PQexec(connection.get(), query.c_str()), PQclear);
  const ExecStatusType status = PQresultStatus(result.get());
  Require(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK, query + ": " + PQerrorMessage(connection.get()));
  return PQntuples(result.get()) == 0 ? "" : PQgetvalue(result.get(), 0, 0);
}

void PostgresServer::Run(const std::string& statements) const { (void)Ask(statements); }

std::string PostgresServer::Log() const {
  std::ifstream file(folder_ / "log");
  return {std::istreambuf_iterator<char>(file), {}};
}

namespace {

std::string NextSchema() {
  static std::atomic<int> number = 0;
  const std::string name = "schema_" + std::to_string(++number);
  PostgresServer::Shared().Run("CREATE SCHEMA " + name);
  return name;
}

}  // namespace

PostgresSchema::PostgresSchema() : name_(NextSchema()) {}

PostgresSchema::~PostgresSchema() { PostgresServer::Shared().Run("DROP SCHEMA " + name_ + " CASCADE"); }

}  // namespace turnlog
