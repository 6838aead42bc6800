#include "tests/store/child_process.h"

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace turnlog {
namespace {

std::array<int, 2> Pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  return ends;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
  const auto [child_input, our_output] = Pipe();
  const auto [our_input, child_output] = Pipe();
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, child_input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, child_output, STDOUT_FILENO);
  const int error = ::posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(child_input);
  ::close(child_output);
  input_ = our_output;
  output_ = our_input;
  if (error != 0) throw std::system_error(error, std::generic_category(), command[0]);
}

ChildProcess::~ChildProcess() {
  Kill();
  CloseInput();
  ::close(output_);
}

std::string ChildProcess::ReadLine() {
  std::string line;
  char c = 0;
  while (::read(output_, &c, 1) == 1 && c != '\n') line.push_back(c);
  return line;
}

int ChildProcess::Finish() {
  CloseInput();
  return Wait();
}

void ChildProcess::Kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  Wait();
}

int ChildProcess::Wait() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

void ChildProcess::CloseInput() {
  if (input_ >= 0) ::close(std::exchange(input_, -1));
}

}  // namespace turnlog
