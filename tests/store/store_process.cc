// A writer in a separate process, for tests with several processes.
//   store_process PATH HOLDER COUNT  opens the store, appends COUNT events with small segments and many checkpoints,
//                                    writes "done", keeps the store open until its input ends, closes it
#include <iostream>
#include <string>

#include "tests/store/numbered.h"
#include "turnlog/segment_log.h"

int main(int argc, char** argv) {
  using namespace turnlog;
  if (argc != 4) return 2;
  const auto log =
      OpenSegmentLog(argv[1], {.holder = argv[2], .segment_bytes = 32 << 10, .checkpoint_bytes = 16 << 10});
  if (!log) {
    std::cout << log.error().message << std::endl;
    return 1;
  }
  if (const Status status = AppendNumbered(**log, std::stoull(argv[3])); !status) {
    std::cout << status.error().message << std::endl;
    return 1;
  }
  std::cout << "done" << std::endl;
  std::cin.get();
  return (*log)->Close() ? 0 : 1;
}
