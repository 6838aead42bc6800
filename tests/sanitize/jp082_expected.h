// jp's results in turnlog's form.
#pragma once

#include <string>
#include <vector>

#include "migrate/jp/time.h"
#include "tests/migrate/jp_vectors.h"

namespace turnlog {

// jp's sanitizer keeps answers to secret questions; turnlog's importer redacts them. `history`: the vector's
// input.
inline std::vector<std::string> ExpectedElements(const JpVector& vector, const JpHistory& history) {
  std::vector<std::string> expected = vector.expected.value();
  for (const ImportProblem& note : history.notes) {
    const Event& event = history.events.at(*note.element);
    const std::string time = FormatJpTime(*event.timestamp);  // unique in the vectors
    for (std::string& element : expected) {
      if (element.contains(time)) element = JpElements({event}).front();
    }
  }
  return expected;
}

}  // namespace turnlog
