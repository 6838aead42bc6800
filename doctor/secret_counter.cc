#include "doctor/secret_counter.h"

#include <algorithm>
#include <utility>

namespace turnlog {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
constexpr std::size_t kMaxBlocks = 4;  // that wait

void Add(const std::map<std::string, SecretCount>& some, std::map<std::string, SecretCount>& all) {
  for (const auto& [rule, count] : some) {
    const auto [found, is_first] = all.try_emplace(rule, count);
    if (is_first) continue;
    found->second.count += count.count;
    found->second.line = std::min(found->second.line, count.line);
  }
}

}  // namespace

SecretCounter::~SecretCounter() { Join(); }

void SecretCounter::Count(std::string_view record, std::uint64_t line) {
  // What is larger than a block is not copied: memory is that of one record.
  if (!apart_ || record.size() > kBlockBytes) return secrets_.Count(record, line, known_, found_);
  block_.bytes += record;
  block_.records.push_back({record.size(), line});
  if (block_.bytes.size() >= kBlockBytes) Hand();
}

void SecretCounter::Finish(std::map<std::string, SecretCount>& by_rule) {
  CountIn(block_, found_);
  Join();
  Add(found_, by_rule);
  Add(found_apart_, by_rule);
}

void SecretCounter::Hand() {
  if (!thread_.joinable()) thread_ = std::thread([this] { Work(); });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return blocks_.size() < kMaxBlocks; });
  blocks_.push_back(std::exchange(block_, {}));
  changed_.notify_all();
}

void SecretCounter::Work() {
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_last_ || !blocks_.empty(); });
    if (blocks_.empty()) return;
    const Block block = std::move(blocks_.front());
    blocks_.pop_front();
    changed_.notify_all();
    lock.unlock();
    CountIn(block, found_apart_);
  }
}

void SecretCounter::CountIn(const Block& block, Counts& found) const {
  std::string_view rest = block.bytes;
  for (const Block::Record& record : block.records) {
    secrets_.Count(rest.substr(0, record.size), record.line, known_, found);
    rest.remove_prefix(record.size);
  }
}

void SecretCounter::Join() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    is_last_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

}  // namespace turnlog
