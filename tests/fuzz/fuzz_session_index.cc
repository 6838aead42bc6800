// Any bytes as an index of a tool's sessions, which the first byte chooses: a note, or findings of which those that
// were mended are gone when it is compared again.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/session_index.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_bytes.h"
#include "tests/support/temp_dir.h"

namespace {

using namespace turnlog;
namespace fs = std::filesystem;

constexpr std::string_view kId = "019fc8be-3658-7ca3-9e29-0123456789ab";

void Write(const fs::path& file, std::string_view text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

// Two homes with a session each, and what the input is.
class Homes {
 public:
  Homes() {
    Write(claude_ / fmt::format("{}.jsonl", kId),
          R"({"type":"user","uuid":"1","sessionId":"s","cwd":"/w","message":{"role":"user","content":"Hi"}})"
          "\n");
    Write(
        codex_ / "sessions/2026/08/01" / fmt::format("rollout-2026-08-01T10-00-00-{}.jsonl", kId),
        fmt::format(R"({{"timestamp":"2026-08-01T10:00:00Z","type":"session_meta","payload":{{"id":"{}","cwd":"/w"}}}})"
                    "\n",
                    kId));
    const std::vector<fs::path> paths{dir_.path()};
    sources_ = FindSources(paths, nullptr).sources;
    Require(sources_.size() == 2);
  }

  fs::path IndexFile(unsigned which) const {
    if (which == 0) return claude_ / "sessions-index.json";
    return codex_ / (which == 1 ? "session_index.jsonl" : "state_5.sqlite");
  }

  DoctorReport Compare(DoctorAction action) const {
    DoctorReport report;
    CompareIndexes(sources_, {.action = action, .idle_seconds = 0}, report);
    return report;
  }

  // Everything but the sessions.
  void Clean() const {
    for (const fs::path& folder : {claude_, codex_}) {
      std::vector<fs::path> files;
      for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.is_regular_file() && !entry.path().string().ends_with(fmt::format("{}.jsonl", kId))) {
          files.push_back(entry.path());
        }
      }
      for (const fs::path& file : files) fs::remove(file);
    }
  }

 private:
  const TempDir dir_;
  const fs::path claude_ = dir_ / "projects/-w", codex_ = dir_ / "codex";
  std::vector<FoundSource> sources_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Homes homes;
  InputBytes input(data, size);
  const unsigned which = input.Byte() % 3;
  homes.Clean();
  // The names are read beside the database only.
  if (which == 1) Write(homes.IndexFile(2), "");
  Write(homes.IndexFile(which), input.Rest());
  const DoctorReport examined = homes.Compare(DoctorAction::kExamine);
  const DoctorReport replaced = homes.Compare(DoctorAction::kReplace);
  Require(replaced.indexes.size() == examined.indexes.size());
  std::size_t left = 0;
  for (const IndexFinding& finding : replaced.indexes) left += finding.mended ? 0 : 1;
  Require(homes.Compare(DoctorAction::kExamine).indexes.size() <= left);
  return 0;
}
