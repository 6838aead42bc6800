#include "base/try.h"
#include "store/environment.h"
#include "store/index_base.h"
#include "store/store_identity.h"
#include "turnlog/maintenance.h"

namespace turnlog {

Status ForEachIndexEntry(const std::filesystem::path& path, const OnIndexEntry& on_entry) {
  const StorePaths paths{path};
  const auto index = TURNLOG_TRY(IndexBase::Open(paths.index(), IndexBase::Access::kRead, Environment{}));
  const auto walk = index->Walk();
  for (; walk->Valid(); walk->Next()) on_entry(walk->key(), walk->value());
  return walk->status();
}

}  // namespace turnlog
