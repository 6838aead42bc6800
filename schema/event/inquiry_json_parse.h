// The parts of inquiries in their JSON form.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "schema/json/json_reader.h"
#include "turnlog/event.h"

namespace turnlog {

Read<InquirySourceView> ReadInquirySource(JsonReader& json, JsonReader::Value value);
Read<QuestionView> ReadQuestion(JsonReader& json, JsonReader::Value value);
Read<std::optional<ResponderView>> ReadResponder(JsonReader& json, JsonReader::Value value);

// An inquiry's `id` and `key`, in whatever order an object has them; one of them is enough.
class InquiryIdReader {
 public:
  explicit InquiryIdReader(JsonReader& json) : json_(json) {}

  Read<void> ReadText(JsonReader::Value value);
  Read<void> ReadKey(JsonReader::Value value);
  // The id made from its parts, or both held against each other. `object` is where they were looked for.
  Read<InquiryIdView> Join(const JsonReader::Object& object);

 private:
  JsonReader& json_;
  InquiryIdView id_;
  std::size_t key_byte_ = 0;
};

}  // namespace turnlog
