// What an earlier reading of a source has imported, for a reader that goes on from there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnlog {

class EarlierRecords {
 public:
  enum class Found : std::uint8_t { kNot, kInEarlierFile, kInSameFile };

  virtual ~EarlierRecords() = default;
  // Where a record with this id was imported: in the file of this conversation, or in a file before it.
  virtual Found Find(std::string_view conversation, std::string_view id) = 0;
  // Whether the log has events of a record with this id in the conversation, and not only a copy.
  virtual bool HasAsOwn(std::string_view conversation, std::string_view id) = 0;
  // The bytes of the record with this id, as it was imported first; empty: they are not known.
  virtual std::string Read(std::string_view conversation, std::string_view id) = 0;
  // The arguments of a call in the conversation that asked the user something, if that has no outcome yet.
  virtual std::optional<std::string> OpenQuestions(std::string_view conversation, std::string_view call) = 0;
  // Whether the conversation has this inquiry.
  virtual bool HasAsked(std::string_view conversation, std::string_view inquiry) = 0;
  // The calls of the conversation that asked the user something, whether that has an outcome or not.
  virtual std::vector<std::string> AskingCalls(std::string_view conversation) = 0;
};

}  // namespace turnlog
