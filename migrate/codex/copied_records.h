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
  bool Take(std::string_view type, const JsonObject& payload, std::optional<Timestamp> time);
  bool copying() const { return copied_at_.has_value(); }

  void Save(std::string& out) const;
  void Restore(Decoder& in);

 private:
  std::optional<std::uint64_t> thread_;  // the file's identity: hash of the id in its first session_meta
  // While set, records are copies of another session's, made at this time.
  std::optional<Timestamp> copied_at_;
};

}  // namespace turnlog
