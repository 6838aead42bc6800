// A parser of HTML for tests: only so much of the standard's tokenizer as decides where tags and attributes begin.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace turnlog {

struct HtmlTag {
  std::string name;  // "/p" for an end
  std::map<std::string, std::string> attributes;
};

// In order, without what is in <style> and <title>.
std::vector<HtmlTag> HtmlTags(std::string_view html);

}  // namespace turnlog
