#pragma once

#include "turnlog/log.h"

namespace turnlog {

// REQUIRES: not the end.
inline Seq SeqOf(const Item& item) {
  if (const auto* record = std::get_if<Record>(&item)) return record->seq;
  if (const auto* erased = std::get_if<Erased>(&item)) return erased->seq;
  return Seq{std::get<Damage>(item).seq};
}

}  // namespace turnlog
