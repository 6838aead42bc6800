#include "log/open_inquiries_coding.h"

#include <cstdint>
#include <string_view>

namespace turnlog {

void AppendOpenInquiries(std::string& out, const OpenInquiries& open) {
  AppendVarint(out, open.size());
  for (const OpenInquiry& inquiry : open.all()) {
    AppendText(out, inquiry.id);
    AppendVarint(out, inquiry.seq);
    AppendVarint(out, inquiry.secret ? 1 : 0);
  }
  AppendVarint(out, open.secrets().size());
  for (const auto& [id, seq] : open.secrets()) {
    AppendText(out, id);
    AppendVarint(out, seq);
  }
}

OpenInquiries TakeOpenInquiries(Decoder& in) {
  OpenInquiries open;
  std::uint64_t last = 0;
  for (std::uint64_t left = in.Varint(); in.ok && left > 0; --left) {
    const std::string_view id = in.Text();
    const std::uint64_t seq = in.Varint();
    if (seq <= last) in.ok = false;
    if (in.ok) open.Open(id, last = seq, in.Varint() != 0);
  }
  for (std::uint64_t left = in.Varint(); in.ok && left > 0; --left) {
    const std::string_view id = in.Text();
    open.RememberSecret(id, in.Varint());
  }
  return open;
}

}  // namespace turnlog
