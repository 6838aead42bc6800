// The records that a conversation has of a source, whatever their order: for sources whose tool began their files
// again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/hash.h"
#include "migrate/format.h"
#include "migrate/records/record_writer.h"
#include "turnlog/event.h"

namespace turnlog {

// Whether the event is the first one of a record.
bool BeginsRecord(const EventView& event);

// Memory: about 70 bytes for each record.
class SeenRecords {
 public:
  // `format`: of the source; must outlive this.
  explicit SeenRecords(const Format& format) : format_(format) {}

  enum class Verdict : std::uint8_t {
    kSeen,
    kNew,
    kChanged,  // the source has something else in the place of a seen record
  };

  // Of the conversation, in order. `known`: its contents are those of the source; not if it was redacted.
  void Add(const EventView& event, bool known);
  // After the last one. False if a record cannot be recognised: it has no id, and its contents were redacted.
  bool Finish();

  // The events of one record of the source, in order. Records without ids are recognised by their contents, once each;
  // if the format keeps them in order, one that is new before one that was seen is in the place of another one. One
  // with an id and the bytes of the seen one is that, whatever it means now: a message is where the oldest record has
  // it, and that changes when older ones are removed.
  Verdict Take(std::span<const EventView> record);

 private:
  struct Seen {
    std::optional<std::uint64_t> contents;  // if known
    std::uint64_t bytes = 0;                // of its source; 0: none
  };

  Verdict Find(std::span<const EventView> record);
  std::uint64_t HashAfter(std::uint64_t before, const EventView& event) const;
  bool MayHideOtherTurns(std::span<const EventView> record) const;
  void EndRecord();

  std::unordered_map<Hash128, Seen> by_id_;                 // hashes
  std::unordered_map<std::uint64_t, std::uint64_t> count_;  // without ids, by the hashes of their contents
  const Format& format_;
  bool recognisable_ = true;
  bool has_new_ = false;  // without an id
  std::uint64_t turns_ = 0,
                turns_in_source_ = 0;  // that were begun, by what was added or is new, and by all that was taken

  // The record that is being added.
  std::optional<std::string> id_;
  std::uint64_t hash_ = 0;
  RecordWriter writer_;
  std::string bytes_;
  bool known_ = true, in_record_ = false;
};

}  // namespace turnlog
