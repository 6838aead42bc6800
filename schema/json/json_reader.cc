#include "schema/json/json_reader.h"

#include <bit>
#include <cstring>

#include "schema/event/event_fields.h"
#include "schema/json/json_letters.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_string.h"
#include "turnlog/types.h"

namespace turnlog {
namespace {

constexpr std::size_t kSmallestBuffer = 4096;
constexpr std::size_t kKeptBytes = std::size_t{16} << 20;  // what was needed beyond this is released
constexpr std::size_t kMaxDocument = simdjson::SIMDJSON_MAXSIZE_BYTES / 2;
constexpr std::size_t kLongString = std::size_t{1} << 20;

}  // namespace

Read<JsonReader::Object> JsonReader::Open(std::string_view json) {
  if (json.size() > kMaxDocument) return Fault(0, "too long");
  const std::size_t capacity = std::bit_ceil(std::max(json.size(), kSmallestBuffer));
  if (capacity > capacity_ || (capacity_ > kKeptBytes && capacity < capacity_)) {
    buffer_ = std::make_unique_for_overwrite<char[]>(capacity + simdjson::SIMDJSON_PADDING);
    if (parser_.allocate(capacity)) return Fault(0, "not enough memory");
    capacity_ = capacity;
  }
  json.copy(buffer_.get(), json.size());  // std::ranges::copy goes byte by byte in libstdc++ 12
  std::memset(buffer_.get() + json.size(), ' ', simdjson::SIMDJSON_PADDING);
  return Begin(buffer_.get(), json.size());
}

Read<JsonReader::Object> JsonReader::OpenOwned(std::string json) {
  if (json.size() > kMaxDocument) return Fault(0, "too long");
  const std::size_t size = json.size();
  buffer_.reset();
  capacity_ = 0;
  if (parser_.allocate(std::max(size, kSmallestBuffer))) return Fault(0, "not enough memory");
  owned_ = std::move(json);
  owned_.append(simdjson::SIMDJSON_PADDING, ' ');
  return Begin(owned_.data(), size);
}

Read<JsonReader::Object> JsonReader::Begin(char* text, std::size_t size) {
  kept_.clear();
  long_ = {};
  text_ = text;
  size_ = size;
  Object object{{}, SkipJsonSpace(Text(), 0)};
  if (object.byte < size_ && text_[object.byte] != '{') return Fault(object.byte, "must be an object");
  const simdjson::padded_string_view padded(text_, size_, size_ + simdjson::SIMDJSON_PADDING);
  if (parser_.iterate(padded).get(document_) || document_.get_object().get(object.fields)) return Broken();
  return object;
}

Read<void> JsonReader::Close() {
  if (document_.current_location().error() != simdjson::OUT_OF_BOUNDS) return Broken();
  return {};
}

Read<std::optional<JsonReader::Value>> JsonReader::Find(Object& object, std::string_view name) {
  if (object.fields.reset().error()) return Broken();
  for (auto item : object.fields) {
    simdjson::ondemand::field field;
    if (std::move(item).get(field)) return Broken();
    const Key key = TURNLOG_TRY(ReadKey(field));
    if (key.text == name) return field.value();
  }
  return std::nullopt;
}

Read<std::size_t> JsonReader::FindIndex(Object& object, std::string_view name, std::span<const std::string_view> words,
                                        const char* unknown) {
  const auto value = TURNLOG_TRY(Find(object, name));
  if (!value) return Fault(object.byte, std::string(name) + " is missing");
  const auto word = TURNLOG_TRY(In(name, String(*value)));
  const auto index = static_cast<std::size_t>(std::ranges::find(words, word) - words.begin());
  if (index == words.size()) return In(name, Fault(*value, unknown).error());
  return index;
}

Read<void> JsonReader::Require(const Object& object, std::span<const std::string_view> names, FieldSet seen,
                               std::initializer_list<std::size_t> required) {
  for (const std::size_t index : required) {
    if (!seen.Has(index)) return Fault(object.byte, std::string(names[index]) + " is missing");
  }
  return {};
}

Read<std::string_view> JsonReader::String(Value value) {
  if (!IsString(value)) return Fault(value, "must be a string");
  std::string_view text;
  if (value.get_string().get(text)) return Broken();
  return text;
}

Read<std::string_view> JsonReader::LongString(Value value) {
  const bool is_long = IsString(value) && value.raw_json_token().size() > kLongString;
  if (!is_long) return String(value);
  const std::string_view token = TURNLOG_TRY(Raw(value)).text();
  const std::string_view inside = token.substr(1, token.size() - 2);
  if (inside.contains('\\')) long_ = text().subspan(ByteOf(inside), inside.size());
  return inside;
}

std::optional<std::string_view> JsonReader::UnescapeLong() {
  const std::span<char> inside = std::exchange(long_, {});
  if (inside.empty()) return std::nullopt;
  return std::string_view(inside.data(), UnescapeJsonInPlace(inside));
}

Read<std::string_view> JsonReader::Id(Value value) {
  const std::string_view id = TURNLOG_TRY(String(value));
  if (id.empty() || id.size() > kMaxIdBytes) return Fault(value, fields::kIdLength);
  return id;
}

Read<bool> JsonReader::Bool(Value value) {
  const JsonView raw = TURNLOG_TRY(Raw(value));
  if (raw.text() != "true" && raw.text() != "false") return Fault(value, "must be true or false");
  return raw.text() == "true";
}

Read<std::uint64_t> JsonReader::Unsigned(Value value) {
  std::uint64_t number = 0;
  TURNLOG_TRY(Raw(value));
  if (value.get_uint64().get(number)) return Fault(value, "must be a whole number from 0 to 2^64-1");
  return number;
}

Read<JsonReader::Object> JsonReader::OpenObject(Value value) {
  Object object{{}, ByteOf(value)};
  if (!value.raw_json_token().starts_with('{')) return Fault(value, "must be an object");
  if (value.get_object().get(object.fields)) return Broken();
  return object;
}

Read<JsonView> JsonReader::Raw(Value value, int depth) {
  const std::size_t begin = ByteOf(value);
  const auto end = ScanJson(Text(), begin, depth);
  if (!end) return Fault(end.error().byte, end.error().what);
  // simdjson goes on at the next token, wherever the value ended.
  const std::size_t next = SkipJsonSpace(Text(), *end);
  if (next == size_ || !std::string_view(",]}").contains(text_[next])) return Broken();
  return JsonView::FromTrusted(Text().substr(begin, *end - begin));
}

Read<JsonView> JsonReader::RawObject(Value value) {
  if (!value.raw_json_token().starts_with('{')) return Fault(value, "must be an object");
  return Raw(value);
}

Read<std::optional<std::string_view>> JsonReader::OptionalString(Value value) {
  if (TURNLOG_TRY(TakeNull(value))) return std::nullopt;
  return TURNLOG_TRY(String(value));
}

Read<std::optional<std::string_view>> JsonReader::OptionalId(Value value) {
  if (TURNLOG_TRY(TakeNull(value))) return std::nullopt;
  return TURNLOG_TRY(Id(value));
}

Read<std::optional<bool>> JsonReader::OptionalBool(Value value) {
  if (TURNLOG_TRY(TakeNull(value))) return std::nullopt;
  return TURNLOG_TRY(Bool(value));
}

Read<JsonView> JsonReader::OptionalRaw(Value value) {
  if (TURNLOG_TRY(TakeNull(value))) return JsonView();
  return Raw(value);
}

Read<JsonView> JsonReader::OptionalRawObject(Value value) {
  if (TURNLOG_TRY(TakeNull(value))) return JsonView();
  return RawObject(value);
}

Read<bool> JsonReader::TakeNull(Value value) {
  if (!value.raw_json_token().starts_with('n')) return false;
  TURNLOG_TRY(Raw(value));
  return true;
}

std::unexpected<ReadFault> JsonReader::Fault(Value value, std::string what) const {
  return Fault(ByteOf(value), std::move(what));
}

std::unexpected<ReadFault> JsonReader::Fault(std::size_t byte, std::string what) {
  return std::unexpected(ReadFault{byte, {}, std::move(what)});
}

std::unexpected<ReadFault> JsonReader::In(std::string_view name, ReadFault fault) {
  const bool dot = !fault.path.empty() && !fault.path.starts_with('[');
  fault.path = std::string(name) + (dot ? "." : "") + fault.path;
  return std::unexpected(std::move(fault));
}

std::string_view JsonReader::Keep(std::string text) { return kept_.emplace_back(std::move(text)); }

Read<JsonReader::Key> JsonReader::ReadKey(const simdjson::ondemand::field& field) {
  const auto begin = static_cast<std::size_t>(field.key().raw() - text_) - 1;
  // Most names are short and without escapes.
  const std::string_view padded(text_, size_ + simdjson::SIMDJSON_PADDING);
  const std::size_t plain = SkipPlainJsonLetters(padded, begin + 1);
  if (text_[plain] == '"') {
    const std::string_view token = Text().substr(begin, plain + 1 - begin);
    return Key{token, token.substr(1, token.size() - 2)};
  }
  const auto end = ScanJsonString(Text(), begin);
  if (!end) return Fault(end.error().byte, end.error().what);
  const std::string_view token = Text().substr(begin, *end - begin);
  if (token.contains('\\')) return Key{token, Keep(UnescapeJson(token))};
  return Key{token, token.substr(1, token.size() - 2)};
}

Read<void> JsonReader::KeepUnknown(const Key& key, Value value, std::string& extra) {
  const JsonView raw = TURNLOG_TRY(Raw(value, 1));
  extra.append(1, extra.empty() ? '{' : ',').append(key.token).append(1, ':').append(raw.text());
  return {};
}

std::unexpected<ReadFault> JsonReader::Broken() const {
  if (const auto fault = FindJsonFault(Text())) return Fault(fault->byte, fault->what);
  return Fault(0, "cannot be read");
}

}  // namespace turnlog
