// Holds sessions in the middle of a transaction: where they change the rows that are locked.
#pragma once

#include <libpq-fe.h>

#include <atomic>
#include <string>
#include <thread>

#include "tests/support/postgres_server.h"

namespace turnlog {

// Of all rows of a table, because a lock of the table would already stop the preparation of statements.
class RowLocks {
 public:
  RowLocks(const std::string& url, const std::string& table) : session_(PQconnectdb(url.c_str())) {
    PQclear(PQexec(session_, ("BEGIN; SELECT 1 FROM " + table + " FOR UPDATE").c_str()));
    held_ = PQtransactionStatus(session_) == PQTRANS_INTRANS;
  }
  ~RowLocks() { Release(); }
  RowLocks(const RowLocks&) = delete;
  RowLocks& operator=(const RowLocks&) = delete;

  bool held() const { return held_; }
  void Release() {
    PQfinish(session_);
    session_ = nullptr;
  }

 private:
  PGconn* session_;
  bool held_ = false;
};

// Returns once a session of this program waits for a lock, or has returned from its call.
inline void AwaitLockedSession(const PostgresServer& server, const std::string& program,
                               const std::atomic<bool>& returned) {
  const std::string waiting =
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
      "application_name = '" +
      program + "'";
  while (!returned && server.Ask(waiting) == "0") std::this_thread::yield();
}

}  // namespace turnlog
