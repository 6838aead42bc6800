#include "logctl/secret_streams.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "base/errno_text.h"
#include "turnlog/types.h"

namespace turnlog {
Expected<SecretString> ReadSecret(int descriptor, std::string_view name) {
  constexpr std::size_t kPiece = 65536;
  SecretString text;
  SecretString piece;
  const std::span<char> room = piece.Resize(kPiece);
  for (;;) {
    const ssize_t got = ::read(descriptor, room.data(), room.size());
    if (got < 0 && errno != EINTR) return Failed(fmt::format("cannot read {}: {}", name, ErrnoText(errno)));
    if (got == 0) return text;
    if (got > 0) text.Append({room.data(), static_cast<std::size_t>(got)});
    if (text.size() > kMaxEventBytes) return Failed(fmt::format("{} is larger than {} bytes", name, kMaxEventBytes));
  }
}

Status WriteTo(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return std::unexpected(Error{ErrorCode::kIo, "cannot write the secret to --secret-to-fd: " + ErrnoText(errno) +
                                                       "; the inquiry is still pending"});
    }
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace turnlog
