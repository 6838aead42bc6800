// Whether a thread of this process is asleep: it waits for something, instead of running.
#pragma once

#include <sys/types.h>

#include <fstream>
#include <iterator>
#include <string>

namespace turnlog {

inline bool IsAsleep(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  return text.contains(") S ");
}

}  // namespace turnlog
