#include "service/histogram.h"

#include <fmt/format.h>

namespace turnlog {

void Histogram::Add(std::uint64_t value) {
  std::size_t bucket = 0;
  for (std::uint64_t bound = first_; bucket < kBuckets && value > bound; bound *= 2) ++bucket;
  ++counts_[bucket];
  sum_ += value;
}

void Histogram::Write(std::string_view name, std::string_view help, std::string& out) const {
  out += fmt::format("# HELP {} {}\n# TYPE {} histogram\n", name, help, name);
  std::uint64_t below = 0, bound = first_;
  for (std::size_t i = 0; i < kBuckets; ++i, bound *= 2) {
    below += counts_[i];
    out += fmt::format("{}_bucket{{le=\"{:g}\"}} {}\n", name, static_cast<double>(bound) * unit_, below);
  }
  below += counts_[kBuckets];
  out += fmt::format("{}_bucket{{le=\"+Inf\"}} {}\n", name, below);
  out += fmt::format("{}_sum {:g}\n", name, static_cast<double>(sum_.load()) * unit_);
  out += fmt::format("{}_count {}\n", name, below);
}

}  // namespace turnlog
