// Which records of a Codex rollout repeat those of the session that it was forked from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/coding.h"
#include "migrate/records/json_object.h"
#include "turnlog/types.h"

namespace turnlog {

class CopiedRecords {
 public:
  // The next record of the file; whether it is a copy. `time`: of the record.
  bool Take(const JsonObject& record, const JsonObject& payload, std::optional<Timestamp> time);
  bool copying() const { return copied_at_ || own_from_; }
  // Nothing is taken for a copy from here on.
  void KeepAll() { keeps_all_ = true; }

  void Save(std::string& out) const;
  void Restore(Decoder& in);

 private:
  void TakeMeta(const JsonObject& meta, std::optional<Timestamp> time);
  bool IsOwn(const JsonObject& record, const JsonObject& payload, std::optional<Timestamp> time);
  bool IsOwnTurn(const JsonObject& started, std::optional<Timestamp> time) const;

  std::optional<std::uint64_t> thread_;        // the file's identity: hash of the id in its first session_meta
  std::optional<std::uint64_t> thread_begun_;  // milliseconds, of that id
  // While set, records are copies of another session's, made at this time.
  std::optional<Timestamp> copied_at_;
  // While set, records with smaller ordinals are copies.
  std::optional<std::uint64_t> own_from_;
  bool keeps_all_ = false;
};

}  // namespace turnlog
