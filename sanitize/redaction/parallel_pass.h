// A pass over all conversations of a log: several are searched at once, and what was found is taken in their order.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/try.h"
#include "sanitize/for_each_of.h"
#include "turnlog/log.h"

namespace turnlog {

class ParallelPass {
 public:
  // `jobs`: threads; 0: one for each processor. `on_bytes` is called on the thread of Run, with the bytes that were
  // counted since.
  ParallelPass(Log& log, unsigned jobs, std::function<void(std::uint64_t bytes)> on_bytes)
      : log_(log), jobs_(jobs > 0 ? jobs : std::thread::hardware_concurrency()), on_bytes_(std::move(on_bytes)) {}

  // Adds to the bytes that were read. Any thread may call it.
  void Count(std::uint64_t bytes) {
    bytes_ += bytes;
    if (std::this_thread::get_id() == runner_) Report();
  }

  // Calls `search` with each conversation, on any of the threads, and `take` with it and what was found, on this one.
  // Memory: what is found in a page of conversations.
  template <class Search, class Take>
  Status Run(Search search, Take take);

 private:
  using Page = std::vector<ConversationId>;
  static constexpr std::size_t kPage = 2048;

  Result<Page> List(std::string_view after) const;
  void Report() { on_bytes_(bytes_.exchange(0)); }

  Log& log_;
  const unsigned jobs_;
  const std::function<void(std::uint64_t)> on_bytes_;
  const std::thread::id runner_ = std::this_thread::get_id();
  std::atomic<std::uint64_t> bytes_ = 0;  // not yet reported
};

template <class Search, class Take>
Status ParallelPass::Run(Search search, Take take) {
  for (Page page = TURNLOG_TRY(List({})); !page.empty();) {
    std::vector<std::optional<std::invoke_result_t<Search, const ConversationId&>>> found(page.size());
    Result<Page> next = Page();
    // The next page is listed meanwhile, if there may be one.
    const std::size_t listed = page.size() == kPage ? 1 : 0;
    const auto work = [&](std::size_t i) {
      if (i < listed) {
        next = List(page.back().text());
      } else {
        found[i - listed].emplace(search(page[i - listed]));
      }
      return true;
    };
    ForEachOf(page.size() + listed, jobs_, work, [this] { Report(); });
    Report();
    for (std::size_t i = 0; i < page.size(); ++i) {
      auto here = TURNLOG_TRY(*std::move(found[i]));
      TURNLOG_TRY(take(page[i], std::move(here)));
    }
    page = TURNLOG_TRY(std::move(next));
  }
  return {};
}

}  // namespace turnlog
