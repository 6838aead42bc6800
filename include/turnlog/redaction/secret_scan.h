// Scans files and folders that are not a store for secrets. docs/formats/secret_rules.md has the rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/result.h"

namespace turnlog {

// The location of a presumed secret. The secret itself is never reported.
struct SecretLocation {
  std::string file;
  std::uint64_t line = 1;                // from 1
  std::uint64_t offset = 0, length = 0;  // bytes in the file
  std::string rule;                      // its id
  std::string why;                       // what made it a finding, for people; does not quote it
  std::optional<std::string> pointer;    // JSON Pointer (RFC 6901) in a JSON file, or in the line of a JSON lines file
};

struct SecretScanProblem {
  std::string file;
  std::string reason;
};

// A value that was not searched for, because it occurs in too many texts that have nothing to do with it.
struct UnscannedValue {
  std::size_t index = 0;  // in SecretScanOptions::values
  std::string reason;     // does not quote it
};

struct SecretScanOptions {
  // Search for these values in all encodings of docs/redaction.md, and not by rules. Their rule is "known-value".
  std::vector<std::string_view> values;
  std::filesystem::path rules;  // a file that adds to the built-in rules; empty: none
  unsigned jobs = 0;            // threads; 0: one for each processor
  // Called periodically with the bytes done and the total, on the calling thread.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

struct SecretScanReport {
  std::uint64_t files = 0, bytes = 0;       // read
  std::vector<SecretLocation> secrets;      // in the order of the paths, then of names, then in the file
  std::vector<SecretScanProblem> problems;  // what could not be read
  std::vector<UnscannedValue> unsearched;
};

// Scans files, and folders without the symbolic links in them; files of any size and format, as bytes. Fails only if
// the rules cannot be read. Memory: some 30 MiB per thread, and what was found.
Result<SecretScanReport> ScanForSecrets(std::span<const std::filesystem::path> paths,
                                        const SecretScanOptions& options = {});

// Calls `on_value` with each credential in the files of this home folder that programs keep them in: .env, .netrc,
// those of clouds, registries, git and coding agents, and the private keys of ssh. The values are wiped when it
// returns.
Status ForEachKnownCredential(const std::filesystem::path& home,
                              const std::function<void(std::string_view value)>& on_value);

}  // namespace turnlog
