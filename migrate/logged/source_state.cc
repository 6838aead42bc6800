#include "migrate/logged/source_state.h"

#include <utility>

#include "base/coding.h"
#include "base/try.h"
#include "schema/event/import_event.h"

namespace turnlog {
namespace {

// Another version is read as no state. The one before did not know whether a source was begun again.
constexpr std::uint64_t kVersion = 3, kVersionBefore = 2;

}  // namespace

void AppendFileState(const FileState& file, std::string& out) {
  for (const std::uint64_t value : {file.device, file.inode, file.size, file.chain, file.digest, file.tail,
                                    file.bytes.imported, file.bytes.kept_raw, file.trailer, file.offset, file.line}) {
    AppendVarint(out, value);
  }
  AppendVarint(out, file.reader ? 1 : 0);
  AppendText(out, file.reader.value_or(std::string()));
}

FileState ReadFileState(Decoder& in) {
  FileState file;
  for (std::uint64_t* value : {&file.device, &file.inode, &file.size, &file.chain, &file.digest, &file.tail,
                               &file.bytes.imported, &file.bytes.kept_raw, &file.trailer, &file.offset, &file.line}) {
    *value = in.Varint();
  }
  const bool resumable = in.Varint() > 0;
  if (const std::string_view reader = in.Text(); resumable) file.reader = reader;
  return file;
}

Result<std::optional<KnownSource>> FindSourceState(Log& log, const ConversationId& conversation) {
  const auto watermark = log.FindWatermark(kImportConsumer, conversation);
  if (!watermark && watermark.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!watermark) return std::unexpected(watermark.error());
  if (!*watermark) return std::nullopt;
  auto state = DecodeSourceState((*watermark)->state);
  if (!state) return std::nullopt;
  return KnownSource{.state = *std::move(state), .head = (*watermark)->head};
}

Status SaveSourceState(Log& log, const ConversationId& conversation, Seq head, const SourceState& state) {
  return log.SetWatermark(kImportConsumer, conversation, {head, EncodeSourceState(state)});
}

std::optional<SourceState> DecodeSourceState(std::string_view bytes) {
  Decoder in{bytes};
  const std::uint64_t version = in.Varint();
  if (version != kVersion && version != kVersionBefore) return std::nullopt;
  SourceState state;
  state.format = in.Text();
  state.revision = static_cast<std::uint32_t>(in.Varint());
  state.version = in.Hash();
  state.own_stamp = in.Hash();
  state.parts_stamp = in.Hash();
  state.record = Seq{in.Varint()};
  if (version == kVersion) state.lacking = in.Varint();
  if (in.Varint() > 0) state.file = ReadFileState(in);
  if (!in.ok || !in.bytes.empty()) return std::nullopt;
  return state;
}

std::string EncodeSourceState(const SourceState& state) {
  std::string out;
  AppendVarint(out, kVersion);
  AppendText(out, state.format);
  AppendVarint(out, state.revision);
  AppendHash(out, state.version);
  AppendHash(out, state.own_stamp);
  AppendHash(out, state.parts_stamp);
  AppendVarint(out, state.record.value);
  AppendVarint(out, state.lacking);
  AppendVarint(out, state.file ? 1 : 0);
  if (state.file) AppendFileState(*state.file, out);
  return out;
}

}  // namespace turnlog
