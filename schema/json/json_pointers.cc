#include "schema/json/json_pointers.h"

#include "schema/json/json_visitor.h"

namespace turnlog {
namespace {

// Keeps the pointer of the innermost value that the walk is in.
class PointerTracker : public JsonVisitor {
 public:
  explicit PointerTracker(std::span<const std::size_t> offsets) : offsets_(offsets) {}

  void Open(std::size_t at, bool object) {
    Enter(at);
    open_.push_back({object, 0});
  }
  void Close(std::size_t at, bool) {
    open_.pop_back();
    Leave(at + 1);
  }
  void Key(std::size_t, std::string_view token) { key_ = UnescapeJson(token); }
  void Scalar(std::size_t at, std::string_view token) {
    Enter(at);
    Leave(at + token.size());
  }

  // The offsets before `end` that are not taken yet are in the value at hand.
  void TakeUntil(std::size_t end) {
    while (pointers_.size() < offsets_.size() && offsets_[pointers_.size()] < end) pointers_.push_back(pointer_);
  }
  std::vector<std::string> Pointers() && { return std::move(pointers_); }

 private:
  struct Container {
    bool object = false;
    std::size_t elements = 0;  // up to here
  };

  void Enter(std::size_t at) {
    TakeUntil(at);
    parents_.push_back(pointer_.size());
    if (!open_.empty()) Append(open_.back().object ? key_ : std::to_string(open_.back().elements++));
  }
  void Leave(std::size_t end) {
    TakeUntil(end);
    pointer_.resize(parents_.back());
    parents_.pop_back();
  }
  void Append(std::string_view name) {
    pointer_.push_back('/');
    for (const char letter : name) {
      if (letter == '~' || letter == '/') {
        pointer_.append(letter == '~' ? "~0" : "~1");
      } else {
        pointer_.push_back(letter);
      }
    }
  }

  std::span<const std::size_t> offsets_;
  std::string pointer_, key_;
  std::vector<Container> open_;
  std::vector<std::size_t> parents_;  // lengths of the pointers of the values around
  std::vector<std::string> pointers_;
};

}  // namespace

std::optional<std::vector<std::string>> JsonPointers(std::string_view json, std::span<const std::size_t> offsets) {
  if (FindJsonFault(json)) return std::nullopt;
  PointerTracker tracker(offsets);
  (void)VisitValidJson(json, tracker);
  tracker.TakeUntil(std::string_view::npos);
  return std::move(tracker).Pointers();
}

std::string UndoPointerEscapes(std::string_view pointer) {
  std::string text;
  for (std::size_t at = 0; at < pointer.size(); ++at) {
    const bool escaped = pointer[at] == '~' && at + 1 < pointer.size();
    text += !escaped ? pointer[at] : pointer[++at] == '1' ? '/' : '~';
  }
  return text;
}

}  // namespace turnlog
