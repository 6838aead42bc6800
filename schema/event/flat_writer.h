// Writes a FlatBuffer from its end to its beginning into memory that is known to suffice: the bytes that FlatBuffers'
// own builder would write, with a third of its instructions (docs/decisions/0028). That one finds out in every call how
// much memory and which fields there are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/coding.h"

namespace turnlog {

// Something that was written, by its distance from the end of the buffer; 0: nothing.
using FlatPlace = std::uint32_t;

class FlatWriter {
 public:
  // REQUIRES: `room` ends at a multiple of 8 in memory.
  explicit FlatWriter(std::span<char> room)
      : begin_(room.data()), at_(room.data() + room.size()), end_(room.data() + room.size()) {}

  FlatPlace here() const { return static_cast<FlatPlace>(end_ - at_); }
  std::string_view written() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

  // Writes zeros until there is a multiple of `alignment` once `length` more bytes stand before them.
  void Align(std::size_t alignment, std::size_t length = 0) {
    MustHave(kPadding);
    at_ = Padded(at_, here() + length, alignment);
  }

  template <class T>
  FlatPlace Push(T value) {
    Align(sizeof(T));
    return Put(value);
  }

  // As far as `place` is from here.
  FlatPlace PushDistanceTo(FlatPlace place) {
    Align(sizeof(FlatPlace));
    return Put(static_cast<FlatPlace>(here() + sizeof(FlatPlace) - place));
  }

  FlatPlace Text(std::string_view text) {
    constexpr std::size_t kLength = sizeof(std::uint32_t);
    Align(kLength, text.size() + 1);
    char* const to = Take(kLength + text.size() + 1);
    StoreLittle(to, static_cast<std::uint32_t>(text.size()));
    if (!text.empty()) std::memcpy(to + kLength, text.data(), text.size());
    to[kLength + text.size()] = '\0';
    return here();
  }

  FlatPlace PlacesOf(std::span<const FlatPlace> places) {
    for (std::size_t i = places.size(); i > 0; --i) PushDistanceTo(places[i - 1]);
    return Push(static_cast<std::uint32_t>(places.size()));
  }

  // `values`: numbers of 8 bytes, which make `count` elements.
  FlatPlace Numbers(std::span<const std::uint64_t> values, std::size_t count) {
    Align(sizeof(std::uint64_t), values.size_bytes());
    for (std::size_t i = values.size(); i > 0; --i) Put(values[i - 1]);
    return Put(static_cast<std::uint32_t>(count));
  }

  // The buffer is complete then. `identifier`: four letters.
  void Finish(FlatPlace root, std::string_view identifier, std::size_t alignment) {
    Align(alignment, sizeof(FlatPlace) + identifier.size());
    std::memcpy(Take(identifier.size()), identifier.data(), identifier.size());
    PushDistanceTo(root);
  }

 private:
  template <std::size_t kFields>
  friend class FlatTable;

  static constexpr std::size_t kPadding = sizeof(std::uint64_t);

  // Where to go on after `written` bytes: `at`, or a few zeros before it. kPadding bytes before `at` are overwritten.
  static char* Padded(char* at, std::size_t written, std::size_t alignment) {
    std::memset(at - kPadding, 0, kPadding);
    return at - (-written & (alignment - 1));
  }

  template <class T>
  FlatPlace Put(T value) {
    StoreLittle(Take(sizeof(T)), value);
    return here();
  }

  // That there is too little memory is a mistake of the program's: better no program than one that writes elsewhere.
  void MustHave(std::size_t length) const {
    if (length > static_cast<std::size_t>(at_ - begin_)) __builtin_trap();
  }

  char* Take(std::size_t length) {
    MustHave(length);
    return at_ -= length;
  }

  // The layout of a table, which was just written: it gives way to an equal one that was written before, if there is.
  FlatPlace ShareLayout(std::size_t length, FlatPlace table) {
    for (std::size_t i = 0; i < layouts_; ++i) {
      const FlatPlace known = i < few_.size() ? few_[i] : more_[i - few_.size()];
      if (LoadLittle<std::uint16_t>(end_ - known) != length || std::memcmp(end_ - known, at_, length) != 0) continue;
      at_ = end_ - table;
      return known;
    }
    if (layouts_ < few_.size()) {
      few_[layouts_] = here();
    } else {
      more_.push_back(here());
    }
    ++layouts_;
    return here();
  }

  char* const begin_;
  char* at_;
  char* const end_;
  std::array<FlatPlace, 12> few_{};  // layouts; most events have no more
  std::vector<FlatPlace> more_;
  std::size_t layouts_ = 0;
};

// A table of up to `kFields` fields, which are named as in the generated code (VT_...). What it refers to has been
// written before, and nothing else is until it is finished. The order of the fields in memory is the one in which they
// are added, from the end.
//
// Works on copies of the writer's pointers: they stay in registers, because nothing that is written can change them.
template <std::size_t kFields>
class FlatTable {
 public:
  explicit FlatTable(FlatWriter& writer) : writer_(writer), at_(writer.at_), end_(writer.end_), last_(writer.here()) {
    writer.MustHave(kMostBytes);
  }

  template <class T>
  void Add(std::uint16_t field, T value) {
    Push(value);
    Note(field);
  }
  // Left out if it is `usual`.
  template <class T>
  void Add(std::uint16_t field, T value, T usual) {
    if (value != usual) Add(field, value);
  }
  // Left out if it is nothing.
  void Refer(std::uint16_t field, FlatPlace place) {
    if (place == 0) return;
    Align(sizeof(FlatPlace));
    Push(static_cast<FlatPlace>(here() + sizeof(FlatPlace) - place));
    Note(field);
  }

  FlatPlace Finish() {
    Push(std::uint32_t{0});  // the distance to the layout, below
    const FlatPlace table = here();
    const std::size_t length = kHead + used_ * sizeof(std::uint16_t);
    char* const layout = at_ -= length;
    StoreLittle(layout, static_cast<std::uint16_t>(length));
    StoreLittle(layout + sizeof(std::uint16_t), static_cast<std::uint16_t>(table - last_));
    for (std::size_t i = 0; i < kFields && i < used_; ++i) {
      const FlatPlace place = places_[i] == 0 ? 0 : table - places_[i];
      StoreLittle(layout + kHead + i * sizeof(std::uint16_t), static_cast<std::uint16_t>(place));
    }
    writer_.at_ = at_;
    const FlatPlace shared = writer_.ShareLayout(length, table);
    StoreLittle(end_ - table, static_cast<std::uint32_t>(shared - table));
    return table;
  }

 private:
  static constexpr std::size_t kHead = 2 * sizeof(std::uint16_t);  // of a layout: its length, and its table's
  static constexpr std::size_t kMostBytes = kFields * (sizeof(std::uint64_t) + sizeof(std::uint16_t)) +
                                            sizeof(std::uint32_t) + kHead + 2 * FlatWriter::kPadding;

  FlatPlace here() const { return static_cast<FlatPlace>(end_ - at_); }

  void Align(std::size_t alignment) { at_ = FlatWriter::Padded(at_, here(), alignment); }
  template <class T>
  void Push(T value) {
    if constexpr (sizeof(T) > 1) Align(sizeof(T));
    StoreLittle(at_ -= sizeof(T), value);
  }
  void Note(std::uint16_t field) {
    const std::size_t index = (field - kHead) / sizeof(std::uint16_t);
    places_[index] = here();
    if (index >= used_) used_ = index + 1;
  }

  FlatWriter& writer_;
  char* at_;
  char* const end_;                          // of the buffer
  const FlatPlace last_;                     // end of the table
  std::array<FlatPlace, kFields> places_{};  // of each field; 0: it is left out
  std::size_t used_ = 0;                     // fields up to the last one that is there
};

}  // namespace turnlog
