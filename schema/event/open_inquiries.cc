#include "schema/event/open_inquiries.h"

#include <utility>

namespace turnlog {

void OpenInquiries::Open(std::string_view id, std::uint64_t seq, bool secret) {
  open_.emplace(seq, OpenInquiry{std::string(id), seq, secret});
  seqs_[std::string(id)].push_back(seq);
  if (secret) RememberSecret(id, seq);
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

std::optional<std::uint64_t> OpenInquiries::SecretOf(std::string_view id) const {
  if (const auto entry = seqs_.find(id); entry != seqs_.end()) {
    const OpenInquiry& closes = open_.at(entry->second.back());
    return closes.secret ? std::optional(closes.seq) : std::nullopt;
  }
  const auto asked = secrets_.find(id);
  return asked == secrets_.end() ? std::nullopt : std::optional(asked->second);
}

void OpenInquiries::StartTurn() {
  open_.clear();
  seqs_.clear();
  secrets_.clear();
}

}  // namespace turnlog
