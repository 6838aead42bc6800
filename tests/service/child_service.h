// A service in a process of its own, which can be killed.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <cstdint>
#include <fstream>
#include <string>

extern char** environ;  // NOLINT(readability-redundant-declaration): unistd.h has it with GNU's extensions only

namespace turnlog {

class ChildService {
 public:
  // `body_memory`: ServiceOptions::body_memory.
  ChildService(const std::string& store, const std::string& socket, std::uint64_t body_memory = 0) {
    std::string program = TURNLOG_SERVED_PROCESS, store_text = store, socket_text = socket;
    std::string memory = std::to_string(body_memory);
    char* const arguments[] = {program.data(), store_text.data(), socket_text.data(), memory.data(), nullptr};
    EXPECT_EQ(::posix_spawn(&process_, program.c_str(), nullptr, nullptr, arguments, environ), 0);
  }
  ~ChildService() { Kill(); }
  ChildService(const ChildService&) = delete;
  ChildService& operator=(const ChildService&) = delete;

  pid_t id() const { return process_; }
  // In bytes, so far.
  std::uint64_t MostMemory() const {
    std::ifstream status("/proc/" + std::to_string(process_) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmHWM:")) return std::stoull(line.substr(line.find_first_of("0123456789"))) << 10;
    }
    ADD_FAILURE() << "no status of the process";
    return 0;
  }
  void Kill() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = -1;
  }

 private:
  pid_t process_ = -1;
};

}  // namespace turnlog
