#include "schema/json/json_layout.h"

#include <utility>

#include "schema/json/json_visitor.h"

namespace turnlog {
namespace {

class Layout : public JsonVisitor {
 public:
  Layout(bool pretty, int depth, const StringRewrite* rewrite, std::string& out)
      : pretty_(pretty), depth_(depth), rewrite_(rewrite), out_(out) {}

  void Open(std::size_t, bool object) {
    Separate();
    out_.push_back(object ? '{' : '[');
    ++open_;
    empty_ = true;
  }
  void Close(std::size_t, bool object) {
    --open_;
    if (!std::exchange(empty_, false)) BreakLine();
    out_.push_back(object ? '}' : ']');
  }
  void Key(std::size_t, std::string_view token) {
    Separate();
    out_.append(token).append(pretty_ ? ": " : ":");
    after_key_ = true;
  }
  void Scalar(std::size_t, std::string_view token) {
    Separate();
    if (rewrite_ != nullptr && token.front() == '"') {
      (*rewrite_)(token, out_);
    } else {
      out_.append(token);
    }
  }

 private:
  // Before a key, and before each value that has none.
  void Separate() {
    if (std::exchange(after_key_, false) || open_ == 0) return;
    if (!std::exchange(empty_, false)) out_.push_back(',');
    BreakLine();
  }
  void BreakLine() {
    if (pretty_) AppendLineBreak(depth_ + open_, out_);
  }

  const bool pretty_;
  const int depth_;
  const StringRewrite* rewrite_;
  std::string& out_;
  int open_ = 0;
  bool empty_ = true;  // the innermost open container, so far
  bool after_key_ = false;
};

void Append(std::string_view json, Layout layout) { (void)VisitValidJson(json, layout, JsonTrust::kValid); }

}  // namespace

void AppendCompact(std::string_view json, std::string& out) { Append(json, Layout(false, 0, nullptr, out)); }

void AppendPretty(std::string_view json, int depth, std::string& out) {
  Append(json, Layout(true, depth, nullptr, out));
}

void AppendLineBreak(int depth, std::string& out) {
  out.append(1, '\n').append(2 * static_cast<std::size_t>(depth), ' ');
}

void AppendRewritten(std::string_view json, const StringRewrite& rewrite, std::string& out) {
  Append(json, Layout(false, 0, &rewrite, out));
}

void AppendRewrittenPretty(std::string_view json, int depth, const StringRewrite& rewrite, std::string& out) {
  Append(json, Layout(true, depth, &rewrite, out));
}

}  // namespace turnlog
