#include "migrate/logged/lines_state.h"

#include "base/coding.h"

namespace turnlog {

void LinesHeads::Set(Hash128 conversation, Seq head) {
  if (!too_many()) heads_.insert_or_assign(conversation.low, head);
}

Seq LinesHeads::Find(Hash128 conversation) const {
  const auto found = heads_.find(conversation.low);
  return found == heads_.end() ? Seq{0} : found->second;
}

void LinesHeads::AppendTo(std::string& out) const {
  AppendVarint(out, heads_.size());
  for (const auto& [conversation, head] : heads_) {
    AppendBig(out, conversation);
    AppendVarint(out, head.value);
  }
}

LinesHeads LinesHeads::Read(Decoder& in) {
  LinesHeads heads;
  for (std::uint64_t left = in.Varint(); left > 0 && in.ok; --left) {
    const std::uint64_t conversation = in.Big();
    heads.heads_.insert_or_assign(conversation, Seq{in.Varint()});
  }
  return heads;
}

std::string EncodeLines(const LinesState& state) {
  std::string out;
  AppendFileState(state.file, out);
  state.heads.AppendTo(out);
  return out;
}

std::optional<LinesState> DecodeLines(std::string_view bytes) {
  Decoder in{bytes};
  LinesState state;
  state.file = ReadFileState(in);
  state.heads = LinesHeads::Read(in);
  return in.ok && in.bytes.empty() ? std::optional(std::move(state)) : std::nullopt;
}

}  // namespace turnlog
