#include "mcp/damage_notes.h"

#include <fmt/format.h>

#include "mcp/history_text.h"

namespace turnlog {

void DamageNotes::Add(const Damage& damage) {
  ++count_;
  if (shown_.size() < kMostShown) shown_.push_back(ToString(damage));
}

std::string DamageNotes::Text() const {
  std::string text;
  for (const std::string& damage : shown_) text += MarkedLines("damaged, left out: " + damage);
  return text + fmt::format("Damaged parts left out: {}. What is above may be wrong without them.\n", count_);
}

}  // namespace turnlog
