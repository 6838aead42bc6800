// A PostgreSQL server for the tests of one program: in a temporary folder, on a Unix socket, as an unprivileged user.
// It ends with the program, also when that is killed.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace turnlog {

class PostgresServer {
 public:
  // Whether a server is installed. Tests skip without one; ./test installs it.
  static bool IsInstalled();
  static constexpr const char* kMissing = "PostgreSQL is not installed (Debian: postgresql)";

  // Of this program, started with the first call.
  static PostgresServer& Shared();

  struct StandbyOf {
    const PostgresServer& primary;
  };

  // `configuration`: "name=value" each.
  explicit PostgresServer(std::vector<std::string> configuration = {});
  // Follows the primary: it does when this returns.
  explicit PostgresServer(StandbyOf of);
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // The superuser's URL; `schema`: where unqualified tables are.
  std::string Url(const std::string& schema = "public", const std::string& user = "postgres") const;
  // Runs statements as the superuser. Ends the test if they fail.
  void Run(const std::string& statements) const;
  // The first column of the first row, as text.
  std::string Ask(const std::string& query) const;

  // From a thread that outlives the server, which ends with it.
  void Start();
  void Stop(int signal);  // SIGKILL: the server alone; SIGINT: fast shutdown, SIGQUIT: without a checkpoint, as if the
                          // machine crashed
  std::string socket() const { return (folder_ / ".s.PGSQL.5432").string(); }
  std::string folder() const { return folder_.path().string(); }
  std::string Log() const;  // of the server

 private:
  void Make(const std::vector<std::string>& program);
  void AwaitEndOfLast() const;
  void AwaitConnections();
  void AwaitStreaming(const PostgresServer& primary) const;
  const TempDir folder_;
  const std::vector<std::string> settings_;
  pid_t process_ = 0;
};

// A schema of the shared server, dropped at the end.
class PostgresSchema {
 public:
  PostgresSchema();
  ~PostgresSchema();
  PostgresSchema(const PostgresSchema&) = delete;
  PostgresSchema& operator=(const PostgresSchema&) = delete;

  const std::string& name() const { return name_; }
  std::string Url() const { return PostgresServer::Shared().Url(name_); }

 private:
  const std::string name_;
};

}  // namespace turnlog
