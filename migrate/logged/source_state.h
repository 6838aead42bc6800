// What an import remembers of the source of a conversation, so that the next one does only what is new. Kept as the
// watermark `import` of the conversation: derived, and empty after a redaction, because it has hashes of the source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/coding.h"
#include "base/hash.h"
#include "migrate/sources/source_reader.h"
#include "turnlog/log.h"

namespace turnlog {

// Of the file or the rows that a conversation was read from. Of rows, only which
// file the database is, and the counts of bytes.
struct FileState {
  std::uint64_t device = 0, inode = 0;
  std::uint64_t size = 0;              // when it was read
  std::uint64_t chain = 0;             // of its complete blocks (PrefixDigest)
  std::uint64_t digest = 0;            // of all of it
  std::uint64_t tail = 0;              // hash of its last bytes: the incomplete block and the one before it
  SurveyedBytes bytes;                 // without those after the last record
  std::uint64_t trailer = 0;           // readable bytes after the last record
  std::uint64_t offset = 0, line = 1;  // after the last record
  std::optional<std::string> reader;   // what else the reader needs to go on from there; none: it cannot
};

void AppendFileState(const FileState& file, std::string& out);
FileState ReadFileState(Decoder& in);

struct SourceState {
  std::string format;
  std::uint32_t revision = 0;  // of the format
  Hash128 version;             // of the rows of a database; zero: unknown
  Hash128 own_stamp;           // of the files of this conversation; zero: unknown
  Hash128 parts_stamp;         // of these without the one that has its events; zero: unknown
  Seq record;                  // the last import record
  std::uint64_t lacking = 0;   // records that the log has and the source does not, which was reported
  std::optional<FileState> file;
};

std::string EncodeSourceState(const SourceState& state);
// Nothing if this version does not understand it.
std::optional<SourceState> DecodeSourceState(std::string_view bytes);

// The state and the conversation's last seq then. Nothing if there is none that this version understands.
struct KnownSource {
  SourceState state;
  Seq head;
};
Result<std::optional<KnownSource>> FindSourceState(Log& log, const ConversationId& conversation);
Status SaveSourceState(Log& log, const ConversationId& conversation, Seq head, const SourceState& state);

}  // namespace turnlog
