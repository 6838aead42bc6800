// What is in the store: conversations and events.
#include <algorithm>
#include <utility>

#include "base/try.h"
#include "remote/forms.h"
#include "remote/item_stream.h"
#include "service/event_source.h"
#include "service/handlers.h"
#include "service/storage_source.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kPage = 100, kLargestPage = 10'000;
constexpr std::uint64_t kMaxOverlap = std::uint64_t{16} << 20;

bool WantsItems(const HttpRequest& request) { return request.header("Accept") == kItemsType; }

Result<ReadOptions> OptionsOf(Query& query) {
  ReadOptions options;
  options.backward = TURNLOG_TRY(query.Word("order", {"forward", "backward"})) == 1;
  const auto from = TURNLOG_TRY(query.Number("from"));
  const auto turn = TURNLOG_TRY(query.Number("turn"));
  options.last_turns = TURNLOG_TRY(query.Number("last_turns"));
  options.limit = TURNLOG_TRY(query.Number("limit")).value_or(UINT64_MAX);
  if (from.has_value() + turn.has_value() + options.last_turns.has_value() > 1) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "give one of from, turn and last_turns"});
  }
  options.from = {from.value_or(options.backward ? 0 : 1)};
  if (turn) options.from_turn = Turn{*turn};
  return options;
}

// What is read for one client, until that may read no more.
class CheckedSource : public BodySource {
 public:
  CheckedSource(const ServiceState& state, const HttpRequest& request, std::unique_ptr<BodySource> source)
      : access_(*state.rules, request), source_(std::move(source)) {}

  Result<State> Read(std::string& piece) override {
    TURNLOG_TRY(access_.Check());
    return source_->Read(piece);
  }
  void Sent() override { source_->Sent(); }
  void OnWake(std::function<void()> wake) override { source_->OnWake(std::move(wake)); }
  std::chrono::milliseconds idle_limit() const override { return source_->idle_limit(); }

 private:
  const StreamAccess access_;
  const std::unique_ptr<BodySource> source_;
};

HttpResponse CheckedStream(std::string_view type, const ServiceState& state, const Call& call,
                           std::unique_ptr<BodySource> source) {
  return StreamResponse(type, std::make_unique<CheckedSource>(state, call.request, std::move(source)));
}

}  // namespace

Handled GetStore(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  StoreForm store{.stats = TURNLOG_TRY(state.log.Stats()),
                  .capabilities = state.log.capabilities(),
                  .notes = state.log.OpenNotes(),
                  .instance = state.instance,
                  .combines_appends = state.log.combines_appends(),
                  .streams_appends = call.request.local && state.log.combines_appends()};
  return JsonResponse(ToJson(store));
}

Handled ListConversations(ServiceState& state, Call& call) {
  const std::string after = call.query.Take("after").value_or("");
  const std::uint64_t limit = std::min(TURNLOG_TRY(call.query.Number("limit")).value_or(kPage), kLargestPage);
  const auto consumer = call.query.Take("changed_for");
  const bool repaired = TURNLOG_TRY(call.query.Flag("repaired"));
  TURNLOG_TRY(call.query.Finish());
  if (repaired && !consumer) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "repaired needs changed_for"});
  }
  const Changes which = repaired ? Changes::kRepaired : Changes::kAll;
  return JsonResponse(ToJson(
      TURNLOG_TRY(consumer ? state.log.ListChanged(*consumer, after, limit, which) : state.log.List(after, limit))));
}

Handled GetConversation(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  const auto conversation = TURNLOG_TRY(call.Conversation());
  return JsonResponse(ToJson(TURNLOG_TRY(state.log.Info(conversation))));
}

Handled GetRepairs(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  const auto conversation = TURNLOG_TRY(call.Conversation());
  return JsonResponse(ToJson(TURNLOG_TRY(state.log.Repairs(conversation))));
}

Handled GetWatermark(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  const auto conversation = TURNLOG_TRY(call.Conversation());
  const auto watermark = TURNLOG_TRY(state.log.FindWatermark(call.parameters[1], conversation));
  return watermark ? JsonResponse(ToJson(*watermark)) : HttpResponse{.status = 204, .headers = {}, .body = {}};
}

Handled GetEnd(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  return JsonResponse(ToJson(TURNLOG_TRY(state.log.End())));
}

Handled ReadEvents(ServiceState& state, Call& call) {
  const bool items = WantsItems(call.request);
  const bool raw = TURNLOG_TRY(call.query.Word("view", {"sanitized", "raw"})) == 1;
  const bool marks = TURNLOG_TRY(call.query.Flag("marks")), cut = TURNLOG_TRY(call.query.Flag("cut"));
  const ReadOptions options = TURNLOG_TRY(OptionsOf(call.query));
  TURNLOG_TRY(call.query.Finish());
  const auto conversation = TURNLOG_TRY(call.Conversation());
  auto cursor = TURNLOG_TRY(raw ? state.log.ReadRaw(conversation, options) : state.log.Read(conversation, options));
  if (items) return CheckedStream(kItemsType, state, call, ItemsOf(std::move(cursor)));
  return CheckedStream(kLinesType, state, call,
                       marks || cut ? MarkedLinesOf(std::move(cursor), cut) : LinesOf(std::move(cursor)));
}

Handled ReadStorage(ServiceState& state, Call& call) {
  const std::uint64_t overlap = TURNLOG_TRY(call.query.Number("overlap")).value_or(0);
  TURNLOG_TRY(call.query.Finish());
  if (overlap > kMaxOverlap) return std::unexpected(Error{ErrorCode::kInvalidArgument, "overlap is too large"});
  return CheckedStream(kItemsType, state, call, StorageOf(state.log, overlap));
}

}  // namespace turnlog
