// Reads a conversation of jp element by element.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/hash.h"
#include "migrate/import/byte_reader.h"
#include "migrate/import/source.h"
#include "migrate/import/source_reader.h"
#include "migrate/jp/array.h"
#include "migrate/jp/element.h"

namespace turnlog {

// The number that the folder's name begins with, up to the first '-': deciseconds since 1970.
Result<ConversationId> JpConversationId(std::string_view folder);

// Returns the other files of the folder as parts (see record.h), then the elements of events.json. Memory: one element,
// or one of the other files, and about 60 bytes for each `event_id`.
class JpReader final : public SourceReader {
 public:
  // `source` must outlive it.
  explicit JpReader(Source& source);

  Result<SourceItem> Next() override;

 private:
  Result<SourceItem> Begin();
  Result<SourceItem> NextFile();
  Result<SourceItem> NextElement();
  SourceItem ReadElement(const RawElement& raw);
  SourcePart PackedConfig(const RawElement& raw) const;
  SourceFault Refuse(std::string_view path, std::string_view reason);
  Result<std::optional<ArrayPiece>> CutNext();

  enum class Stage { kBegin, kFiles, kElements, kEnd };

  Source& source_;
  const std::string path_;
  std::string events_path_, conversation_;
  Stage stage_ = Stage::kBegin;
  std::size_t next_file_ = 0;
  std::optional<ByteReader> events_;
  std::optional<BadText> bad_;
  bool packed_ = false;         // no base_config.json: the configuration is the first element
  bool noted_ = false;          // the missing configuration has been reported
  std::uint64_t elements_ = 0;  // read so far
  std::size_t consume_ = 0;     // bytes of the window to consume before the next element
  JpElementParser parser_;
  JpElement element_;
  std::unordered_set<Hash128> event_ids_;
};

}  // namespace turnlog
