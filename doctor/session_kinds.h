// The kinds of session files: how each is cut into records, and what is checked in it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/session_checks.h"
#include "migrate/format.h"
#include "migrate/records/piece_reader.h"
#include "migrate/sources/source.h"

namespace turnlog {

using MakeChecks = std::unique_ptr<SessionChecks> (*)(const CheckContext& context);

// A file of a source.
struct SessionFile {
  enum class Layout : std::uint8_t {
    kLines,
    kList,      // in a document
    kJpEvents,  // a list whose elements are found again after damage
    kDocument,  // one record
  };

  SourceFile* file = nullptr;
  std::string_view format;
  Layout layout = Layout::kLines;
  std::span<const std::string_view> lists{};  // kList: the fields that may have it
  MakeChecks checks = nullptr;
  bool (*is_record)(const JsonObject& object) = nullptr;  // kLines: amid damaged bytes
  bool is_part = false;                                   // belongs to the session of a file before it
  bool can_insert = true, can_remove = true;              // records
  std::optional<Provider> provider{};                     // that gets the session, if it is known already
};

// The files with the sessions of a source; none if these are rows of a database, or not examined.
std::vector<SessionFile> SessionFilesOf(const Format& format, Source& source);

// Reads `file`, which has the contents of `session` or what a pass has made of them; both must outlive the reader.
std::unique_ptr<PieceReader> ReadPieces(const SessionFile& session, SourceFile& file);

}  // namespace turnlog
