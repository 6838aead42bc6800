// Reads a conversation of jp element by element.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "migrate/jp/element.h"
#include "migrate/records/element_reader.h"
#include "migrate/records/id_table.h"
#include "migrate/sources/item_encoder.h"
#include "migrate/sources/source.h"
#include "migrate/sources/source_reader.h"

namespace turnlog {

// The number that the folder's name begins with, up to the first '-': deciseconds since 1970.
Result<ConversationId> JpConversationId(std::string_view folder);

// Returns the other files of the folder as parts (see record.h), then the elements of events.json or messages.json.
// Memory: one element, or one of the other files, and up to 30 bytes for each `event_id`.
class JpReader final : public SourceReader {
 public:
  // `source` must outlive it.
  explicit JpReader(Source& source);

  Result<SourceItem> Next() override;

 private:
  // An event that was read and not yet returned.
  struct Waiting {
    Event event;
    std::uint64_t size = 0;  // of its bytes in the source
    ImportReason note;
  };

  Result<SourceItem> Begin();
  Result<SourceItem> NextFile();
  Result<SourceItem> NextElement();
  bool TakeConfig(const ElementPiece& piece);
  void TakeElement(const ElementPiece& piece);
  void TakeDamage(const ElementPiece& piece);
  void TakeEnd(const ElementPiece& piece);
  SourceItem NextEvent();
  void Note(std::optional<std::uint64_t> byte, ImportReason note, SourceNote::Weight weight);
  void CheckEventId(const ElementPiece& piece);
  SourceFault Refuse(std::string_view reason);

  enum class Stage { kBegin, kFiles, kElements, kEnd };

  Source& source_;
  const std::string path_;
  std::string_view history_path_;
  std::string conversation_;
  Stage stage_ = Stage::kBegin;
  SourceFile* history_ = nullptr;
  std::size_t next_file_ = 0;
  std::optional<ByteReader> bytes_;
  std::optional<ElementReader> elements_;
  bool packed_ = false;       // no base_config.json: the configuration is the first element
  std::string base_config_;   // its text, until the first element is read
  bool is_no_array_ = false;  // its beginning is missing: its end is not missed
  ElementContext context_;    // of the next element
  std::uint64_t count_ = 0;   // of the elements read so far
  JpElementParser parser_;
  // Of the last piece.
  std::deque<SourceItem> items_;  // come before its events
  std::deque<Waiting> events_;
  ItemEncoder encoder_;
  SourceLocation location_;
  std::string problem_;  // of the first event
  IdTable event_ids_;
};

}  // namespace turnlog
