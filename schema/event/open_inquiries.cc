#include "schema/event/open_inquiries.h"

#include <algorithm>
#include <utility>

namespace turnlog {

void OpenInquiries::Open(std::string_view id, std::uint64_t seq, bool secret) {
  open_.emplace(seq, OpenInquiry{std::string(id), seq, secret});
  seqs_.Open(id, seq);
  if (secret) RememberSecret(id, seq);
}

std::optional<OpenInquiry> OpenInquiries::Close(std::string_view id) {
  const auto seq = seqs_.Close(id);
  return seq ? std::optional(std::move(open_.extract(*seq).mapped())) : std::nullopt;
}

std::optional<std::uint64_t> OpenInquiries::SecretOf(std::string_view id) const {
  if (const auto seq = seqs_.Nearest(id)) return open_.at(*seq).secret ? seq : std::nullopt;
  const auto asked = secrets_.find(id);
  return asked == secrets_.end() ? std::nullopt : std::optional(asked->second);
}

void OpenInquiries::StartTurn() {
  open_.clear();
  seqs_.Clear();
  while (secrets_.size() > kMostSecrets) {
    secrets_.erase(std::ranges::min_element(secrets_, {}, [](const auto& secret) { return secret.second; }));
  }
}

}  // namespace turnlog
