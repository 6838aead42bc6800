// logctl in its own terminal, with scripted keys.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "tests/logctl/program.h"

namespace turnlog {

class TerminalSession {
 public:
  // `inherited`: a descriptor that the program finds open as 3; -1 for none.
  TerminalSession(const Strings& words, const Strings& environment, int inherited = -1);
  ~TerminalSession();  // ends the program if it still runs
  TerminalSession(const TerminalSession&) = delete;
  TerminalSession& operator=(const TerminalSession&) = delete;

  // Waits until the text is shown after the previously awaited one; fails the test if it is not.
  void Expect(std::string_view text);
  void Type(std::string_view keys);
  // Waits for the prompt, then types the line.
  void Answer(std::string_view line, std::string_view prompt = "> ");
  void Signal(int signal);
  // Waits until a signal has stopped the program. One that continues it earlier is lost.
  void ExpectStopped();
  bool echoes() const;
  // Waits until another process has turned echo on or off.
  void ExpectEcho(bool on);
  int Wait();  // its exit code, as in Ran
  // All that was shown so far, line breaks as "\n".
  const std::string& shown() const { return shown_; }

 private:
  bool Take();

  int terminal_ = -1;
  int inside_ = -1;   // keeps the terminal's settings when the program has gone
  pid_t shell_ = -1;  // waits for the program, so that it can be stopped like any job
  pid_t program_ = -1;
  std::string shown_;
  std::size_t seen_ = 0;
};

}  // namespace turnlog
