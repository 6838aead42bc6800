#include "sanitize/redaction/parallel_pass.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <system_error>

namespace turnlog {
namespace {

constexpr std::chrono::milliseconds kReportEvery{100};

}  // namespace

Result<ParallelPass::Page> ParallelPass::List(std::string_view after) const {
  const auto infos = TURNLOG_TRY(log_.List(after, kPage));
  Page page;
  page.reserve(infos.size());
  for (const ConversationInfo& info : infos) page.push_back(TURNLOG_TRY(ConversationId::Parse(info.id)));
  return page;
}

void ParallelPass::Divide(std::size_t count, const std::function<void(std::size_t)>& use) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) use(i);
  };
  std::vector<std::future<void>> others;
  const auto begin_another = [&] {
    try {
      others.push_back(std::async(std::launch::async, work));
      return true;
    } catch (const std::system_error&) {
      return false;  // there are no more threads: fewer find the same
    }
  };
  while (others.size() + 1 < std::min<std::size_t>(jobs_, count) && begin_another()) continue;
  work();
  for (std::future<void>& other : others) {
    while (other.wait_for(kReportEvery) != std::future_status::ready) Report();
    other.get();
  }
  Report();
}

}  // namespace turnlog
