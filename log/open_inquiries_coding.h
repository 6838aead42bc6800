// Open inquiries as bytes, in the entries of conversations.
#pragma once

#include <string>

#include "base/coding.h"
#include "schema/event/open_inquiries.h"

namespace turnlog {

void AppendOpenInquiries(std::string& out, const OpenInquiries& open);
// Takes what AppendOpenInquiries wrote off the front; `in.ok` is false if it is malformed.
OpenInquiries TakeOpenInquiries(Decoder& in);

}  // namespace turnlog
