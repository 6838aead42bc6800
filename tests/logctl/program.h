// Runs the built logctl as a user would: words and standard input in; standard output, standard error, exit code out.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace turnlog {

struct Ran {
  int exit_code = -1;  // 128 + the signal if one ended it
  std::string out;
  std::string err;
  std::uint64_t peak_kib = 0;  // the most memory that it had at a time
};

using Strings = std::vector<std::string>;

// The path of the built program.
const char* LogctlProgram();

// `environment` is all that the program sees, as "NAME=value".
Ran RunProgram(const Strings& words, const std::string& input = {}, const Strings& environment = {});

// A script, by the shell of that name; its $0 is logctl.
Ran RunShell(const std::string& shell, const std::string& script);

// With a terminal for standard output and error; all that was shown there, line breaks as "\n".
std::string ShowOnTerminal(const Strings& words, const Strings& environment);

// A program that runs beside the test. Its standard input is empty; standard error goes where the test's goes, or to
// the file named. `environment`: as RunProgram has it.
class Running {
 public:
  explicit Running(const Strings& words, const std::string& error_file = {}, const Strings& environment = {});
  ~Running();  // ends it if it still runs
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  std::string ReadLine();  // of its standard output, without the line break; "" at the end
  void CloseOutput();      // the reader goes away
  void Signal(int signal);
  int Wait();  // its exit code, as in Ran
  pid_t id() const { return process_; }

 private:
  pid_t process_ = -1;
  int output_ = -1;
};

}  // namespace turnlog
