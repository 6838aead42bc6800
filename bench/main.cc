// The main of every benchmark program: Google Benchmark's flags, and two of our own.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>

#include "bench/register.h"
#include "bench/stores.h"

namespace {

// The value of `--name=value`; empty if `argument` is another flag.
std::string_view ValueOf(std::string_view argument, std::string_view name) {
  return argument.starts_with(name) ? argument.substr(name.size()) : std::string_view();
}

bool TakeArgument(std::string_view argument, turnlog::Settings& settings) {
  if (const auto folder = ValueOf(argument, "--store_dir="); !folder.empty()) {
    settings.folder = folder;
    return true;
  }
  const auto scale = ValueOf(argument, "--scale=");
  return !scale.empty() &&
         std::from_chars(scale.data(), scale.data() + scale.size(), settings.scale_percent).ec == std::errc{};
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (TakeArgument(argv[i], turnlog::settings)) continue;
    std::fprintf(stderr, "usage: %s [--store_dir=FOLDER] [--scale=PERCENT] [--benchmark_...]\n", argv[0]);
    return 2;
  }
  const bool own_folder = turnlog::settings.folder.empty();
  if (own_folder)
    turnlog::settings.folder = std::filesystem::temp_directory_path() / fmt::format("bench-{}", ::getpid());
  std::filesystem::create_directories(turnlog::settings.folder);
  turnlog::RegisterBenchmarks();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (own_folder) std::filesystem::remove_all(turnlog::settings.folder);
  return 0;
}
