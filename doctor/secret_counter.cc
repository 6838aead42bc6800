#include "doctor/secret_counter.h"

#include <algorithm>
#include <utility>

namespace turnlog {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

void Add(const std::map<std::string, SecretCount>& some, std::map<std::string, SecretCount>& all) {
  for (const auto& [rule, count] : some) {
    const auto [found, is_first] = all.try_emplace(rule, count);
    if (is_first) continue;
    found->second.count += count.count;
    found->second.line = std::min(found->second.line, count.line);
  }
}

}  // namespace

void SecretCounter::Count(std::string_view record, std::uint64_t line) {
  // What is larger than a block is not copied: memory is that of one record.
  if (!is_apart_ || record.size() > kBlockBytes) return secrets_.Count(record, line, known_, found_);
  if (filling_ == nullptr) filling_ = std::make_unique<Block>();
  filling_->bytes += record;
  filling_->records.push_back({record.size(), line});
  if (filling_->bytes.size() >= kBlockBytes && !apart_.Offer(filling_)) CountIn(*filling_, found_);
}

void SecretCounter::Finish(std::map<std::string, SecretCount>& by_rule) {
  if (filling_ != nullptr) CountIn(*filling_, found_);
  if (const auto rest = apart_.TakeBack()) CountIn(*rest, found_);
  apart_.Await();
  Add(found_, by_rule);
  Add(found_apart_, by_rule);
}

void SecretCounter::CountIn(Block& block, Counts& found) const {
  std::string_view rest = block.bytes;
  for (const Block::Record& record : block.records) {
    secrets_.Count(rest.substr(0, record.size), record.line, known_, found);
    rest.remove_prefix(record.size);
  }
  block.bytes.clear();
  block.records.clear();
}

}  // namespace turnlog
