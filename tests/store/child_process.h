// Another process with a pipe to its input and one from its output.
#pragma once

#include <string>
#include <vector>

namespace turnlog {

class ChildProcess {
 public:
  explicit ChildProcess(const std::vector<std::string>& command);
  ~ChildProcess();  // kills it if it still runs
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int pid() const { return pid_; }
  // The next line of its output; empty at the end.
  std::string ReadLine();
  // Closes its input and waits for its end; gives its exit code.
  int Finish();
  void Kill();

 private:
  int Wait();
  void CloseInput();

  int pid_ = -1;
  int input_ = -1;
  int output_ = -1;
};

}  // namespace turnlog
