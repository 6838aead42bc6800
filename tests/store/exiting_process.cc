// A process that exits while a log is open, for tests.
//   exiting_process PATH global   a global variable owns the log
//   exiting_process PATH writers  threads append, read and follow, and go on when main has returned
//   exiting_process PATH readers  the same with a log that was opened for reading
// Exit code 0, if it ends as it should.
#include <atomic>
#include <cstdlib>
#include <deque>
#include <functional>
#include <latch>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "turnlog/segment_log.h"

namespace turnlog {
namespace {

std::unique_ptr<Log> global;  // NOLINT(readability-identifier-naming): it changes

Event Say(std::string_view text) { return {.body = ChatRequest{std::string(text), {}, {}}}; }

ConversationId Id(std::string_view text) { return ConversationId::Parse(text).value(); }

Log& OpenForEver(const char* path, OpenMode mode) {
  return *OpenSegmentLog(path, {.mode = mode, .segment_bytes = 64 << 10, .checkpoint_bytes = 16 << 10})
              .value()
              .release();
}

using Work = std::function<bool()>;

// How often the threads have worked.
std::atomic<int>& Rounds() {
  static auto* const rounds = new std::atomic<int>(0);
  return *rounds;
}

// Destroyed after everything that main has made: the threads work on when RocksDB's globals are gone.
const struct Linger {
  ~Linger() {
    for (const int until = Rounds() + 5000; Rounds() > 0 && Rounds() < until;) std::this_thread::yield();
  }
} linger;

// Repeats it as long as the process lives, whatever it returns; returns when each has worked once.
void KeepDoing(const std::vector<Work>& works) {
  static auto* const begun = new std::latch(static_cast<std::ptrdiff_t>(works.size()));
  for (const Work& work : works) {
    std::thread([work] {
      if (!work()) std::_Exit(EXIT_FAILURE);
      begun->count_down();
      for (;; ++Rounds()) (void)work();
    }).detach();
  }
  begun->wait();
}

Work Append(Log& log, std::string prefix) {
  return [&log, prefix, n = 0]() mutable {
    const std::string name = prefix.empty() ? "new" + std::to_string(++n) : prefix;
    return log.Append(Id(name), Say("more")).has_value();
  };
}

// Has many cursors that have not read yet, so that they look into the index whenever that is.
Work Read(Log& log) {
  const auto make = [&log] { return log.ReadRaw(Id("read")); };
  auto cursors = std::make_shared<std::deque<std::unique_ptr<Cursor>>>();
  while (cursors->size() < 100) cursors->push_back(make().value());
  return [make, cursors] {
    if (auto more = make()) cursors->push_back(*std::move(more));
    if (cursors->empty()) return false;
    const std::unique_ptr<Cursor> cursor = std::move(cursors->front());
    cursors->pop_front();
    return cursor->Next().has_value();
  };
}

Work Follow(Log& log) {
  return [tail = std::shared_ptr<Tail>(log.Follow(Position()).value())] { return tail->Next().has_value(); };
}

Work Ask(Log& log) {
  return [&log] { return log.Info(Id("read")) && log.Pending({}) && log.List("", 3); };
}

void ExitWhileWriting(const char* path) {
  Log& log = OpenForEver(path, OpenMode::kCreate);
  (void)log.Append(Id("read"), std::vector<Event>(500, Say("to be read"))).value();
  log.Checkpoint().value();
  KeepDoing({Append(log, "0"), Append(log, "1"), Append(log, ""), Read(log), Follow(log), Ask(log)});
}

void ExitWhileReading(const char* path) {
  Log& log = OpenForEver(path, OpenMode::kRead);
  KeepDoing({Read(log), Follow(log), Ask(log), [&log] { return log.Refresh().has_value(); }});
}

}  // namespace
}  // namespace turnlog

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string_view what = argv[2];
  if (what == "writers") turnlog::ExitWhileWriting(argv[1]);
  if (what == "readers") turnlog::ExitWhileReading(argv[1]);
  if (what == "global") {
    turnlog::global = turnlog::OpenSegmentLog(argv[1]).value();
    (void)turnlog::global->Append(turnlog::Id("read"), turnlog::Say("before the end"),
                                  {.durability = turnlog::Durability::kBuffered, .expected_last = {}});
  }
  return EXIT_SUCCESS;
}
