// Keeps a last record that is still being written out of the records.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "migrate/records/piece_reader.h"
#include "migrate/records/salvage.h"

namespace turnlog {

// What another reader reads, except that the last record is a part of the end if it is unfinished and waits.
class WaitingReader final : public PieceReader {
 public:
  // `waits`: is asked of the last record if it is unfinished, immediately before it is returned.
  WaitingReader(std::unique_ptr<PieceReader> reader, IsRecord is_unfinished, IsRecord waits)
      : reader_(std::move(reader)), is_unfinished_(std::move(is_unfinished)), waits_(std::move(waits)) {}

  Result<RecordPiece> Next() override;

 private:
  Result<RecordPiece> HoldBack(const RecordPiece& record);

  const std::unique_ptr<PieceReader> reader_;
  const IsRecord is_unfinished_, waits_;
  std::string lead_, bytes_;              // of an unfinished record
  std::optional<RecordPiece> following_;  // what comes after it
};

}  // namespace turnlog
