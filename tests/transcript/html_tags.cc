#include "tests/transcript/html_tags.h"

#include <algorithm>
#include <cctype>

namespace turnlog {
namespace {

bool IsLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\f' || c == '\r'; }

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view html) : html_(html) {}

  std::vector<HtmlTag> Run() {
    while ((at_ = html_.find('<', at_)) != std::string_view::npos) {
      ++at_;
      const bool end = At() == '/';
      if (!IsLetter(end ? Next() : At())) {
        if (At() == '!' || At() == '?') tags_.push_back({std::string(1, At()), {}});  // a comment, a doctype
        continue;
      }
      Tag(end);
    }
    return std::move(tags_);
  }

 private:
  char At() const { return at_ < html_.size() ? html_[at_] : '\0'; }
  char Next() const { return at_ + 1 < html_.size() ? html_[at_ + 1] : '\0'; }

  std::string Until(std::string_view stops) {
    const std::size_t end = std::min(html_.find_first_of(stops, at_), html_.size());
    std::string text(html_.substr(at_, end - at_));
    at_ = end;
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  }

  void Tag(bool end) {
    if (end) ++at_;
    HtmlTag tag{(end ? "/" : "") + Until(" \n\t\f\r/>"), {}};
    while (at_ < html_.size() && At() != '>') {
      if (IsSpace(At()) || At() == '/') {
        ++at_;
        continue;
      }
      const std::string name = Until(" \n\t\f\r/>=");
      tag.attributes[name] = At() == '=' ? Value() : "";
    }
    const bool text = tag.name == "style" || tag.name == "title";
    if (text) at_ = std::min(html_.find("</" + tag.name, at_), html_.size());
    tags_.push_back(std::move(tag));
  }

  std::string Value() {
    ++at_;
    if (At() != '"' && At() != '\'') return Until(" \n\t\f\r>");
    const char quote = html_[at_++];
    const std::size_t end = std::min(html_.find(quote, at_), html_.size());
    std::string value(html_.substr(at_, end - at_));
    at_ = std::min(end + 1, html_.size());
    return value;
  }

  std::string_view html_;
  std::size_t at_ = 0;
  std::vector<HtmlTag> tags_;
};

}  // namespace

std::vector<HtmlTag> HtmlTags(std::string_view html) { return Tokenizer(html).Run(); }

}  // namespace turnlog
