#include "sanitize/redaction/parallel_pass.h"

namespace turnlog {

Result<ParallelPass::Page> ParallelPass::List(std::string_view after) const {
  const auto infos = TURNLOG_TRY(log_.List(after, kPage));
  Page page;
  page.reserve(infos.size());
  for (const ConversationInfo& info : infos) page.push_back(TURNLOG_TRY(ConversationId::Parse(info.id)));
  return page;
}

}  // namespace turnlog
