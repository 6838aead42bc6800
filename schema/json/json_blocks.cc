#include "schema/json/json_blocks.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include "schema/json/json_visitor.h"

namespace turnlog {
namespace {

constexpr std::string_view kRedactedText = R"({"type":"text","text":"[redacted]"})";

// Names of fields, with their quotes, of what is more than its sealed value.
constexpr std::array<std::string_view, 9> kKeptWith{R"("role")",
                                                    R"("text")",
                                                    R"("input")",
                                                    R"("args")",
                                                    R"("arguments")",
                                                    R"("functionCall")",
                                                    R"("function_call")",
                                                    R"("functionResponse")",
                                                    R"("function_response")"};

struct Cut {
  std::size_t begin = 0, end = 0;
  bool only = false;  // the last one of a list of contents
};

class BlockFinder : public JsonVisitor {
 public:
  BlockFinder(std::span<const std::size_t> values, OuterBlock outer) : values_(values), outer_(outer) {}

  void Open(std::size_t at, bool object) {
    const bool in_list = !open_.empty() && !open_.back().object;
    if (in_list) ++open_.back().items;
    const bool contents = !open_.empty() && open_.back().key == R"("content")";
    open_.push_back({.begin = at, .object = object, .contents = contents && !object});
  }

  void Key(std::size_t at, std::string_view token) {
    Container& object = open_.back();
    object.key = token;
    object.key_begin = at;
    object.kept = object.kept || std::ranges::find(kKeptWith, token) != kKeptWith.end();
  }

  void Scalar(std::size_t at, std::string_view token) {
    if (open_.empty()) return;
    Container& around = open_.back();
    if (!around.object) return void(++around.items);
    if (around.key == R"("type")") {
      around.reasoning = around.reasoning || token.contains("thinking") || token.contains("reasoning");
    }
    if (around.key == R"("thought")" && token == "true") around.reasoning = true;
    if (std::ranges::find(values_, at) != values_.end()) around.sealed.push_back({around.key_begin, at + token.size()});
  }

  void Close(std::size_t at, bool object) {
    Container closed = std::move(open_.back());
    open_.pop_back();
    if (!object) return CloseList(closed);
    if (closed.sealed.empty()) return;
    if (open_.empty()) {
      whole_ = closed.reasoning && outer_ == OuterBlock::kRemove;
      CutMembers(closed);
    } else if (open_.back().object) {
      // What describes a block may be in an object of its own: the block is the one in the list.
      std::ranges::move(closed.sealed, std::back_inserter(open_.back().sealed));
      open_.back().reasoning = open_.back().reasoning || closed.reasoning;
    } else if (closed.reasoning || !closed.kept) {
      open_.back().reasoning = open_.back().reasoning || closed.reasoning;
      open_.back().cuts.push_back(cuts_.size());
      cuts_.push_back({closed.begin, at + 1});
    } else {
      CutMembers(closed);
    }
  }

  bool whole() const { return whole_; }
  std::vector<Cut> Take() {
    std::ranges::sort(cuts_, {}, &Cut::begin);
    return std::move(cuts_);
  }

 private:
  struct Container {
    std::size_t begin = 0;
    bool object = false;
    bool contents = false;   // the list "content"
    bool reasoning = false;  // of a list: a block that was cut is
    bool kept = false;
    std::string_view key = {};
    std::size_t key_begin = 0;
    std::size_t items = 0;
    std::vector<Cut> sealed = {};
    std::vector<std::size_t> cuts = {};  // of a list: indexes into cuts_
  };

  void CutMembers(const Container& object) { std::ranges::copy(object.sealed, std::back_inserter(cuts_)); }
  void CloseList(const Container& list) {
    if (list.contents && list.reasoning && list.cuts.size() == list.items) cuts_[list.cuts.back()].only = true;
  }

  std::span<const std::size_t> values_;
  const OuterBlock outer_;
  std::vector<Container> open_;
  std::vector<Cut> cuts_;
  bool whole_ = false;
};

// Copies the text without members and elements, and the comma of each.
class Cutter {
 public:
  explicit Cutter(std::string_view json) : json_(json) { out_.reserve(json.size() + kRedactedText.size()); }

  void Leave(const Cut& cut) {
    out_.append(json_.substr(copied_, cut.begin - copied_));
    copied_ = cut.end;
    if (cut.only) return void(out_.append(kRedactedText));
    const std::size_t last = out_.find_last_not_of(" \t\r\n");
    if (out_[last] == ',') return out_.resize(last);
    const std::size_t comma = SkipJsonSpace(json_, cut.end);
    if (json_[comma] == ',') copied_ = SkipJsonSpace(json_, comma + 1);
  }
  std::string Finish() && { return out_.append(json_.substr(copied_)), std::move(out_); }

 private:
  std::string_view json_;
  std::string out_;
  std::size_t copied_ = 0;
};

}  // namespace

std::string WithoutBlocks(std::string_view json, std::span<const std::size_t> values, OuterBlock outer) {
  BlockFinder finder(values, outer);
  (void)VisitValidJson(json, finder);
  if (finder.whole()) return {};
  Cutter cutter(json);
  for (const Cut& cut : finder.Take()) cutter.Leave(cut);
  return std::move(cutter).Finish();
}

}  // namespace turnlog
