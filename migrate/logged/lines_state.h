// What an import remembers of a file of lines of several conversations, so that the next one reads only further lines.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/hash.h"
#include "migrate/logged/source_state.h"

namespace turnlog {

// The last events that such a file has brought into the log: their seqs, by conversation.
class LinesHeads {
 public:
  // With more conversations, the file is read as a whole when it has grown.
  static constexpr std::size_t kMost = 10'000;

  void Set(Hash128 conversation, Seq head);
  // 0: the file has nothing of this conversation.
  Seq Find(Hash128 conversation) const;
  bool too_many() const { return heads_.size() > kMost; }
  std::size_t size() const { return heads_.size(); }

  void AppendTo(std::string& out) const;
  static LinesHeads Read(Decoder& in);

 private:
  std::map<std::uint64_t, Seq> heads_;  // by 64 bits of the conversation's hash
};

struct LinesState {
  FileState file;
  LinesHeads heads;
};

std::string EncodeLines(const LinesState& state);
std::optional<LinesState> DecodeLines(std::string_view bytes);

}  // namespace turnlog
