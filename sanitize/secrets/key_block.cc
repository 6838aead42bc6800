#include "sanitize/secrets/key_block.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "sanitize/secrets/secret_checks.h"

namespace turnlog {
namespace {

constexpr std::size_t kMinLetters = 60;  // of a whole key
constexpr std::size_t kMinLine = 16;     // of its lines, but the last
constexpr double kMinEntropy = 4;        // bits per letter; placeholders have less

constexpr Base64Values kValues = MakeBase64Values("+/");

bool IsLetter(char c) { return kValues[static_cast<unsigned char>(c)] != kNoBase64; }
bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// The pieces of a text between blanks, line breaks (also written as \n) and colours of a terminal.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : text_(text) {}

  std::string_view Next() {
    while (at_ < text_.size() && Separator() > 0) at_ += Separator();
    const std::size_t begin = at_;
    while (at_ < text_.size() && Separator() == 0) ++at_;
    return text_.substr(begin, at_ - begin);
  }

 private:
  std::size_t Separator() const {
    if (IsSpace(text_[at_])) return 1;
    if (text_[at_] == '\\' && at_ + 1 < text_.size() && std::string_view("nrt").contains(text_[at_ + 1])) return 2;
    if (!text_.substr(at_).starts_with("\x1b[")) return 0;
    const std::size_t end = text_.find_first_not_of("0123456789;", at_ + 2);
    return std::min(text_.size(), end == std::string_view::npos ? end : end + 1) - at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// The last run of base64 in a piece, with its padding: what is before it numbers or quotes the line.
std::string_view LastRun(std::string_view piece) {
  std::size_t end = piece.size();
  while (end > 0 && !IsLetter(piece[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && IsLetter(piece[begin - 1])) --begin;
  while (end < piece.size() && piece[end] == '=') ++end;
  return piece.substr(begin, end - begin);
}

struct Body {
  std::vector<std::string_view> lines;
  std::size_t letters = 0;
  std::size_t others = 0;  // bytes of pieces that are no lines of a key
};

Body ReadBody(std::string_view text) {
  Body body;
  Pieces pieces(text);
  std::string_view last;
  for (std::string_view piece = pieces.Next(); !piece.empty(); piece = pieces.Next()) {
    const std::string_view run = LastRun(piece);
    if (run.size() >= kMinLine) {
      body.lines.push_back(run);
      body.letters += run.size();
    } else {
      body.others += piece.size();
      if (run.find_first_not_of("+/") != std::string_view::npos) last = run;
    }
  }
  if (!body.lines.empty() && !last.empty() && last.data() > body.lines.back().data()) body.lines.push_back(last);
  return body;
}

// A diff puts a plus before every line, which is a letter of base64, too.
void RemovePluses(std::vector<std::string_view>& lines) {
  if (!std::ranges::all_of(lines, [](std::string_view line) { return line.starts_with('+'); })) return;
  for (std::string_view& line : lines) line.remove_prefix(1);
}

// The end of the lines from `begin` on that consist of little else than a line of a key: for a block without an end.
std::size_t EndOfLines(std::string_view text, std::size_t begin) {
  constexpr std::size_t kMinFullLine = 32, kMaxDecoration = 32;
  std::size_t end = begin;
  for (std::size_t at = begin; at < text.size();) {
    const std::size_t next = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, next - at);
    const Body body = ReadBody(line);
    const bool blank = line.find_first_not_of(" \r\n|>+-") == std::string_view::npos;
    if (!blank && (body.lines.empty() || body.lines.front().size() < kMinFullLine || body.others > kMaxDecoration))
      break;
    if (!blank) end = static_cast<std::size_t>(body.lines.back().data() - text.data()) + body.lines.back().size();
    at = next + 1;
  }
  return end;
}

// Skips headers such as `Proc-Type: 4,ENCRYPTED`, whatever is in front of them.
std::size_t SkipHeaders(std::string_view text, std::size_t at) {
  for (std::size_t line = at; line < text.size();) {
    const std::size_t next = std::min(text.find('\n', line), text.size());
    const std::string_view header = text.substr(line, next - line);
    const bool blank = std::ranges::none_of(header, IsLetter);
    if (!blank && !header.contains(": ")) break;
    if (!blank) {
      const std::size_t colon = header.find(": ");
      if (std::ranges::any_of(header.substr(0, colon), [](char c) { return c == '='; })) break;
      at = next;
    }
    line = next + 1;
  }
  return at;
}

struct Ending {
  std::string_view begin, end;
};
constexpr std::array<Ending, 3> kEndings = {
    {{"-----BEGIN ", "-----END "}, {"---- BEGIN ", "---- END "}, {"Private-Lines:", "Private-MAC:"}}};

// How far the block may reach: up to the next one, and up to the line that ends it if there is one.
struct Limits {
  std::size_t block = 0;
  std::optional<std::size_t> end;
};

Limits FindLimits(std::string_view text, TextSpan header) {
  const std::string_view first = text.substr(header.begin, header.size());
  const auto ending = std::ranges::find_if(kEndings, [&](const Ending& each) { return first.contains(each.begin); });
  if (ending == kEndings.end()) return {header.end, std::nullopt};
  const std::size_t reach = std::min(text.size(), header.end + kMaxKeyBlock);
  Limits limits{.block = std::min(reach, text.substr(0, reach).find(ending->begin, header.end)), .end = std::nullopt};
  const std::size_t end = text.substr(0, limits.block).find(ending->end, header.end);
  if (end != std::string_view::npos) limits.end = end;
  return limits;
}

// Without what is in front of the last line of the block.
std::string_view WholeLines(std::string_view lines) {
  const std::size_t last = lines.rfind('\n');
  return last == std::string_view::npos ? lines : lines.substr(0, last);
}

}  // namespace

std::optional<KeyBlock> ReadKeyBlock(std::string_view text, TextSpan header) {
  const Limits limits = FindLimits(text, header);
  const std::string_view block_text = text.substr(0, limits.block);
  const std::size_t begin = SkipHeaders(block_text, header.end);
  const std::size_t end = limits.end ? *limits.end : EndOfLines(block_text, begin);
  if (end <= begin) return std::nullopt;
  const std::string_view lines = text.substr(begin, end - begin);
  Body body = ReadBody(limits.end ? WholeLines(lines) : lines);
  if (body.letters < kMinLetters || body.letters < body.others) return std::nullopt;
  RemovePluses(body.lines);
  KeyBlock block;
  for (const std::string_view line : body.lines) {
    block.key.Append(line);
    block.key.Append('\n');
  }
  if (Entropy(block.key.view()) < kMinEntropy) return std::nullopt;
  const std::string_view last = body.lines.back();
  block.span = {header.begin, static_cast<std::size_t>(last.data() - text.data()) + last.size()};
  if (limits.end && text[*limits.end] == '-') {  // the whole line, up to its closing dashes
    const std::size_t dashes = text.substr(0, *limits.end + 80).find("----", *limits.end + 5);
    if (dashes != std::string_view::npos) block.span.end = std::min(text.find_first_not_of('-', dashes), text.size());
  }
  return block;
}

}  // namespace turnlog
