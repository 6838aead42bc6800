// Looking for secrets in files and folders that are not a store. docs/formats/secret_rules.md has the rules.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "turnlog/result.h"

namespace turnlog {

// Where something stands that a rule takes for a secret. What it is, nobody says.
struct SecretPlace {
  std::string file;
  std::uint64_t line = 1;                // from 1
  std::uint64_t offset = 0, length = 0;  // bytes in the file
  std::string rule;                      // its id
  std::optional<std::string> pointer;    // of a JSON file, or of the line of a JSON lines file (RFC 6901)
};

struct SecretScanProblem {
  std::string file;
  std::string reason;
};

struct SecretScanOptions {
  std::filesystem::path rules;  // a file that adds to the built-in rules; empty: none
  unsigned jobs = 0;            // threads; 0: one for each processor
  // Called now and then with bytes done and bytes in all, on the calling thread.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

struct SecretScanReport {
  std::uint64_t files = 0, bytes = 0;       // that were read
  std::vector<SecretPlace> places;          // in the order of the paths, then of names, then in the file
  std::vector<SecretScanProblem> problems;  // what could not be read
};

// Files and whole folders, without the symbolic links in them; files of any size and kind, bytes as they are. Fails
// only if the rules cannot be read. Memory: some 30 MiB a thread, and what was found.
Result<SecretScanReport> ScanForSecrets(std::span<const std::filesystem::path> paths,
                                        const SecretScanOptions& options = {});

}  // namespace turnlog
