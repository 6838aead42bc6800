// What jp's results look like here.
#pragma once

#include <string>
#include <vector>

#include "migrate/jp/time.h"
#include "tests/migrate/jp_vectors.h"

namespace turnlog {

// jp's sanitizer leaves answers to secret questions alone; here they do not get that far. `history`: the vector's
// input.
inline std::vector<std::string> ExpectedElements(const JpVector& vector, const JpHistory& history) {
  std::vector<std::string> expected = vector.expected.value();
  for (const ImportProblem& note : history.notes) {
    const Event& event = history.events.at(*note.element);
    const std::string time = FormatJpTime(*event.timestamp);  // differs from event to event in the vectors
    for (std::string& element : expected) {
      if (element.contains(time)) element = JpElements({event}).front();
    }
  }
  return expected;
}

}  // namespace turnlog
