// Numbers with a fraction, as programs have them.
#pragma once

#include <string>

namespace turnlog {

// As JSON. One that is not finite becomes an object: {"$number":"inf"}, "-inf" or "nan".
void AppendRealNumber(double number, std::string& out);

}  // namespace turnlog
