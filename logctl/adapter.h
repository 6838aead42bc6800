// A program that prints a source as turnlog's JSON lines. docs/formats/adapters.md says how to write one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "logctl/errors.h"

namespace turnlog {

// What an adapter printed, in an unnamed private file that disappears with this object.
class AdapterOutput {
 public:
  explicit AdapterOutput(int fd) : fd_(fd) {}
  AdapterOutput(AdapterOutput&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  AdapterOutput& operator=(AdapterOutput&&) = delete;
  ~AdapterOutput();

  // To read it, once or more often.
  std::filesystem::path path() const;
  // All of it.
  std::string Read() const;

 private:
  int fd_;
};

// Runs `command` in the shell with `source` as its last argument, to its end. Fails unless it ends with 0;
// the message does not name the source.
Expected<AdapterOutput> RunAdapter(const std::string& command, const std::string& source);

// Runs the adapter and checks what it prints, without a store. Returns what is wrong, one line each; `summary` gets
// what was found.
Expected<std::vector<std::string>> CheckAdapter(const std::string& command, const std::string& source,
                                                std::string& summary);

}  // namespace turnlog
