#include "sanitize/secrets/ascii_in_base64.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <string>

#include "base/base64.h"
#include "sanitize/secrets/base64_runs.h"

namespace turnlog {
namespace {

// Whether a letter may be the one with this index of a group of four that is three bytes of ASCII text. The top bits of
// the bytes are in the first three letters; the first one also has all bits that rule out control characters.
bool MayBeAscii(char letter, std::size_t index) {
  constexpr std::uint64_t kFirst = 0xffffff0cU;  // tab, line breaks, and 0x20 to 0x7f
  const std::uint8_t value = kAnyBase64[static_cast<unsigned char>(letter)];
  if (value == kNoBase64) return false;
  return index == 0 ? (kFirst >> value & 1) != 0 : index == 1 ? (value & 0x08) == 0 : index == 3 || (value & 0x02) == 0;
}

// The letters that may be ASCII at each index of a group of four.
const std::array<std::string, kBase64Phases>& AsciiLetters() {
  const auto letters_at = [](std::size_t index) {
    std::string letters;
    std::ranges::copy_if(kBase64Letters, std::back_inserter(letters),
                         [=](char letter) { return MayBeAscii(letter, index); });
    return letters;
  };
  static const std::array<std::string, kBase64Phases> letters{letters_at(0), letters_at(1), letters_at(2),
                                                              letters_at(3)};
  return letters;
}

const std::array<ByteSet, kBase64Phases>& AsciiLetterSets() {
  static const std::array<ByteSet, kBase64Phases> sets{ByteSet(AsciiLetters()[0]), ByteSet(AsciiLetters()[1]),
                                                       ByteSet(AsciiLetters()[2]), ByteSet(AsciiLetters()[3])};
  return sets;
}

// The same set if `letters` more letters come first.
Base64PhaseSet Later(Base64PhaseSet phases, std::size_t letters) {
  const std::size_t by = letters % kBase64Phases;
  return (phases << by | phases >> (kBase64Phases - by)) & kAllBase64Phases;
}

}  // namespace

// Up to 64 letters of a run from `at` on, by the indexes that they may have.
class AsciiInBase64::Block {
 public:
  Block(std::array<ByteSearch, kBase64Phases>& letters, std::size_t at, std::size_t end)
      : letters_(letters), at_(at), valid_(end - at < 64 ? (std::uint64_t{1} << (end - at)) - 1 : ~std::uint64_t{0}) {
    Read(0);
  }

  // The phases at which `count` letters in a row may be ASCII.
  Base64PhaseSet PhasesOf(std::size_t count) {
    std::uint64_t begins = BeginFirstLetters(count);
    if (begins == 0) return 0;
    ReadOthers();
    begins &= BeginWholeGroups(count);
    Base64PhaseSet found = 0;
    for (std::size_t phase = 0; phase < kBase64Phases && begins != 0; ++phase) {
      const bool may_hold = (begins & kEveryFourth << phase) != 0 && WhereBegin(AtPhase(phase), count) != 0;
      found |= Base64PhaseSet{may_hold} << phase;
    }
    return found;
  }
  // Whether all letters may be if a group begins at the first one.
  bool MayHoldAll() {
    if ((masks_[0] & kEveryFourth) != (valid_ & kEveryFourth)) return false;
    ReadOthers();
    return AtPhase(0) == valid_;
  }

 private:
  static constexpr std::uint64_t kEveryFourth = 0x1111111111111111U;

  // A bit for each letter that may be the first one of a group in `count` letters in a row, by as many first letters of
  // groups as these have. Rules out most.
  std::uint64_t BeginFirstLetters(std::size_t count) const {
    std::uint64_t begins = masks_[0];
    for (std::size_t i = kBase64Phases; i + kBase64Phases <= count; i += kBase64Phases) begins &= masks_[0] >> i;
    return begins;
  }
  // The same by all letters of the groups that are whole in these letters, wherever the first group begins.
  std::uint64_t BeginWholeGroups(std::size_t count) const {
    const std::uint64_t group = masks_[0] & masks_[1] >> 1 & masks_[2] >> 2 & masks_[3] >> 3;
    std::uint64_t begins = ~std::uint64_t{0};
    for (std::size_t i = 0; i + 2 * kBase64Phases - 1 <= count; i += kBase64Phases) begins &= group >> i;
    return begins;
  }
  void ReadOthers() {
    for (std::size_t index = 1; index < masks_.size(); ++index) Read(index);
  }
  // The letters that may be ASCII if a group begins at the letter `phase` of the block.
  std::uint64_t AtPhase(std::size_t phase) const {
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < masks_.size(); ++i) mask |= masks_[i] & kEveryFourth << (phase + i) % kBase64Phases;
    return mask;
  }
  void Read(std::size_t index) { masks_[index] = letters_[index].MaskAt(at_) & valid_; }

  std::array<ByteSearch, kBase64Phases>& letters_;
  std::size_t at_;
  std::uint64_t valid_;
  std::array<std::uint64_t, kBase64Phases> masks_;
};

AsciiInBase64::AsciiInBase64(std::string_view text)
    : text_(text),
      letters_{ByteSearch(AsciiLetterSets()[0], text), ByteSearch(AsciiLetterSets()[1], text),
               ByteSearch(AsciiLetterSets()[2], text), ByteSearch(AsciiLetterSets()[3], text)} {}

std::string_view AsciiInBase64::LettersAt(std::size_t index) { return AsciiLetters()[index]; }

std::size_t AsciiInBase64::LettersOf(std::size_t bytes) {
  constexpr std::size_t kMost = 32;  // what has more is decoded, if so many may be ASCII
  return std::min(bytes / 3 * kBase64Phases, kMost);
}

// The phases of `line` at which `count` letters in a row may be ASCII, until all of `wanted` are found.
Base64PhaseSet AsciiInBase64::PhasesOfLine(TextSpan line, std::size_t count, Base64PhaseSet wanted) {
  // What begins in the letters after those is whole in the next block.
  const std::size_t step = (64 - count + 1) / kBase64Phases * kBase64Phases;
  Base64PhaseSet found = 0;
  for (std::size_t at = line.begin; at < line.end && (wanted & ~found) != 0; at += step) {
    found |= Block(letters_, at, line.end).PhasesOf(count);
    if (line.end - at <= 64) break;
  }
  return found;
}

// Of what goes over the end of a line, one half is in one line: all but the last one are longer.
Base64PhaseSet AsciiInBase64::PhasesOfLines(TextSpan run, std::size_t count, Base64PhaseSet wanted) {
  Base64PhaseSet found = 0;
  ByteSearch letters(Base64LetterSet(), text_);
  std::size_t before = 0;
  for (std::size_t at = run.begin; at < run.end && (wanted & ~found) != 0;) {
    const TextSpan line{at, std::min(run.end, letters.NextOther(at))};
    found |= Later(PhasesOfLine(line, count / 2, kAllBase64Phases), before);
    before += line.size();
    at = letters.Next(line.end);
  }
  return found;
}

Base64PhaseSet AsciiInBase64::PhasesOf(TextSpan run, std::size_t min_bytes, Base64PhaseSet phases) {
  const std::size_t count = LettersOf(min_bytes);
  const bool wrapped = IsWrapped(text_.substr(run.begin, run.size()));
  return (wrapped ? PhasesOfLines(run, count, phases) : PhasesOfLine(run, count, phases)) & phases;
}

bool AsciiInBase64::IsText(TextSpan run) {
  while (run.end > run.begin && text_[run.end - 1] == '=') --run.end;
  for (std::size_t at = run.begin; at < run.end; at += 64) {
    if (!Block(letters_, at, run.end).MayHoldAll()) return false;
  }
  return true;
}

bool AsciiInBase64::MayHoldUtf16(TextSpan run) const {
  const std::string_view letters = text_.substr(run.begin, run.size());
  // Of eight letters two or more have only bits of a zero byte; twelve bytes have two times eight within one to spare.
  constexpr std::size_t kZeros = 3, kWithin = 16;
  std::size_t last[kZeros] = {};
  std::size_t count = 0;
  for (std::size_t at = letters.find('A'); at != std::string_view::npos; at = letters.find('A', at + 1)) {
    std::size_t& oldest = last[count % kZeros];
    if (count >= kZeros - 1 && at - last[(count + 1) % kZeros] < kWithin) return true;
    oldest = at;
    ++count;
  }
  return false;
}

}  // namespace turnlog
