#include "schema/open_inquiries.h"

#include <utility>

namespace turnlog {

void OpenInquiries::Open(std::string_view id, std::uint64_t seq, bool secret) {
  open_.emplace(seq, OpenInquiry{std::string(id), seq, secret});
  seqs_[std::string(id)].push_back(seq);
}

std::optional<OpenInquiry> OpenInquiries::Close(std::string_view id) {
  const auto entry = seqs_.find(id);
  if (entry == seqs_.end()) return std::nullopt;
  const auto open = open_.find(entry->second.back());
  OpenInquiry closed = std::move(open->second);
  open_.erase(open);
  entry->second.pop_back();
  if (entry->second.empty()) seqs_.erase(entry);
  return closed;
}

const OpenInquiry* OpenInquiries::Find(std::string_view id) const {
  const auto entry = seqs_.find(id);
  return entry == seqs_.end() ? nullptr : &open_.at(entry->second.back());
}

void OpenInquiries::StartTurn() {
  open_.clear();
  seqs_.clear();
}

}  // namespace turnlog
