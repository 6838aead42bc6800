#include "sanitize/redaction/json_pointers.h"

#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// Walks valid JSON, whose depth is bounded, and keeps the pointer of where it is.
class PointerWalk {
 public:
  PointerWalk(std::string_view json, std::span<const std::size_t> offsets) : json_(json), offsets_(offsets) {}

  std::vector<std::string> Run() {
    Value(SkipJsonSpace(json_, 0));
    TakeUntil(std::string_view::npos);
    return std::move(pointers_);
  }

 private:
  // The offsets before `end` that are not taken yet are where we are now.
  void TakeUntil(std::size_t end) {
    while (pointers_.size() < offsets_.size() && offsets_[pointers_.size()] < end) pointers_.push_back(pointer_);
  }

  // Gives the end of the value that begins at json[begin].
  std::size_t Value(std::size_t begin) {
    TakeUntil(begin);
    if (json_[begin] == '{') return Object(begin);
    if (json_[begin] == '[') return Array(begin);
    const std::size_t end = ScanJson(json_, begin).value_or(json_.size());
    TakeUntil(end);
    return end;
  }

  std::size_t Object(std::size_t begin) {
    std::size_t at = SkipJsonSpace(json_, begin + 1);
    while (json_[at] != '}') {
      const std::size_t key_end = ScanJsonString(json_, at).value_or(json_.size());
      const std::string key = UnescapeJson(json_.substr(at, key_end - at));
      const std::size_t value = SkipJsonSpace(json_, SkipJsonSpace(json_, key_end) + 1);
      TakeUntil(value);
      at = Child(key, value);
    }
    return End(at);
  }

  std::size_t Array(std::size_t begin) {
    std::size_t at = SkipJsonSpace(json_, begin + 1);
    for (std::size_t index = 0; json_[at] != ']'; ++index) at = Child(std::to_string(index), at);
    return End(at);
  }

  std::size_t End(std::size_t bracket) {
    TakeUntil(bracket + 1);
    return bracket + 1;
  }

  // Behind the value and the comma that may follow it.
  std::size_t Child(std::string_view name, std::size_t value) {
    TakeUntil(value);
    const std::size_t parent = pointer_.size();
    pointer_.push_back('/');
    for (const char letter : name) {
      if (letter == '~' || letter == '/') {
        pointer_.append(letter == '~' ? "~0" : "~1");
      } else {
        pointer_.push_back(letter);
      }
    }
    const std::size_t end = Value(value);
    pointer_.resize(parent);
    const std::size_t next = SkipJsonSpace(json_, end);
    return json_[next] == ',' ? SkipJsonSpace(json_, next + 1) : next;
  }

  std::string_view json_;
  std::span<const std::size_t> offsets_;
  std::string pointer_;
  std::vector<std::string> pointers_;
};

}  // namespace

std::optional<std::vector<std::string>> JsonPointers(std::string_view json, std::span<const std::size_t> offsets) {
  if (FindJsonFault(json)) return std::nullopt;
  return PointerWalk(json, offsets).Run();
}

}  // namespace turnlog
