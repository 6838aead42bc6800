#include "doctor/record_chain.h"

#include <utility>

namespace turnlog {
namespace {

Hash128 KeyOf(std::string_view id) { return HashId(id, 0); }

}  // namespace

RecordChain::Sighting RecordChain::See(const SessionRecord& record) {
  const std::string_view id = record.object()["uuid"];
  const Hash128 key = KeyOf(id);
  const std::uint64_t contents = Hash64(record.bytes());
  if (const std::uint64_t* const known = records_.Find(key)) {
    return *known == contents ? Sighting::kCopy : Sighting::kOther;
  }
  records_.TryEmplace(key, contents);
  const bool sidechain = record.object().IsTrue("isSidechain");
  CheckParent(record, key, sidechain);
  last_[sidechain ? 1 : 0] = id;
  return Sighting::kFirst;
}

void RecordChain::CheckParent(const SessionRecord& record, Hash128 id, bool sidechain) {
  const std::string_view parent = record.object()["parentUuid"];
  if (!IsJsonString(parent) || !record.is_exact()) return;
  const Hash128 key = KeyOf(parent);
  const std::uint64_t begin = record.Begin(parent), end = record.End(parent);
  if (const auto removed = removed_.find(key); removed != removed_.end()) {
    return diagnosis_.edits().Replace(begin, end, removed->second);
  }
  if (records_.Find(key) != nullptr && key != id) return;
  const std::string& before = last_[sidechain ? 1 : 0];
  const bool first = last_[0].empty() && last_[1].empty();
  // A child that precedes the record must not become its parent. Sidechains of one file are mixed.
  const bool unclear = awaited_.contains(id) || (sidechain && !last_[0].empty());
  missing_.push_back({{record.line(), begin}, begin, end, key, unclear ? std::string() : before, first});
  awaited_.insert(key);
}

void RecordChain::Remove(const SessionRecord& record) {
  std::string parent(record.object()["parentUuid"]);
  if (parent.empty()) parent = "null";
  if (const auto removed = removed_.find(KeyOf(parent)); removed != removed_.end()) parent = removed->second;
  for (std::string& last : last_) {
    if (last == record.object()["uuid"]) last = parent == "null" ? std::string() : parent;
  }
  removed_.emplace(KeyOf(record.object()["uuid"]), std::move(parent));
}

bool RecordChain::IsBroken(const Missing& missing) {
  return !missing.is_first && records_.Find(missing.parent) == nullptr;
}

std::vector<RecordChain::Relink> RecordChain::FindRelinks() {
  std::vector<Relink> relinks;
  for (const Missing& missing : missing_) {
    if (IsBroken(missing) && !missing.before.empty()) relinks.push_back({missing.before, missing.begin, missing.end});
  }
  return relinks;
}

void RecordChain::Finish() {
  for (const Missing& missing : missing_) {
    const auto removed = removed_.find(missing.parent);
    if (removed != removed_.end()) {
      diagnosis_.edits().Replace(missing.begin, missing.end, removed->second);
    } else if (IsBroken(missing)) {
      diagnosis_.Add("broken-chain", missing.location, !missing.before.empty());
      if (!missing.before.empty()) diagnosis_.edits().Replace(missing.begin, missing.end, missing.before);
    }
  }
}

}  // namespace turnlog
