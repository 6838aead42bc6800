// Links only turnlog::store: opens a log, appends, reads the sanitized view.
//   store_alone FOLDER
#include <filesystem>
#include <variant>

#include "turnlog/segment_log.h"

int main(int, char** argv) {
  std::filesystem::remove_all(argv[1]);
  const auto log = turnlog::OpenSegmentLog(argv[1], {.holder = "store_alone"});
  const auto conversation = turnlog::ConversationId::Parse("alone");
  turnlog::Event event;
  event.body = turnlog::ChatRequest{.content = "is anybody there?"};
  if (!log || !conversation || !(*log)->Append(*conversation, event)) return 1;
  const auto cursor = (*log)->Read(*conversation);
  const auto item = cursor ? (*cursor)->Next() : turnlog::Result<turnlog::Item>(turnlog::EndOfLog{});
  const auto* record = item ? std::get_if<turnlog::Record>(&*item) : nullptr;
  const auto read = record != nullptr ? record->Decode() : turnlog::Result<turnlog::EventView>();
  return record != nullptr && read && turnlog::Own(*read) == event ? 0 : 1;
}
