#include "logctl/adapter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/errno_text.h"

namespace turnlog {
namespace {

std::string TemporaryFolder() {
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(ignored);
  return folder.empty() ? "/tmp" : folder.string();
}

int OpenPrivateFile() {
  std::string name = TemporaryFolder() + "/logctl-XXXXXX";
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd >= 0) ::unlink(name.c_str());
  return fd;
}

// The exit code; -1: it could not be started.
int RunInShell(const std::string& command, const std::string& source, int out) {
  const std::string script = command + " \"$@\"";
  std::array<char*, 6> words{const_cast<char*>("sh"),           const_cast<char*>("-c"),
                             const_cast<char*>(script.c_str()), const_cast<char*>("logctl"),
                             const_cast<char*>(source.c_str()), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  pid_t process = -1;
  const int error = ::posix_spawn(&process, "/bin/sh", &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return -1;
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

AdapterOutput::~AdapterOutput() {
  if (fd_ >= 0) ::close(fd_);
}

std::filesystem::path AdapterOutput::path() const { return fmt::format("/proc/self/fd/{}", fd_); }

std::string AdapterOutput::Read() const {
  std::string text;
  std::array<char, 1 << 16> piece{};
  for (;;) {
    const ssize_t n = ::pread(fd_, piece.data(), piece.size(), static_cast<off_t>(text.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(n));
  }
}

Expected<AdapterOutput> RunAdapter(const std::string& command, const std::string& source) {
  const int fd = OpenPrivateFile();
  if (fd < 0) return Failed(fmt::format("cannot create a file in {}: {}", TemporaryFolder(), ErrnoText(errno)));
  AdapterOutput output(fd);
  const int code = RunInShell(command, source, fd);
  if (code < 0) return Failed("cannot start /bin/sh");
  if (code > 0) return Failed(fmt::format("the adapter ended with {}; nothing was imported", code));
  return output;
}

}  // namespace turnlog
