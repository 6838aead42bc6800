#include "remote/remote_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/try.h"
#include "http/url.h"
#include "remote/append_batch.h"
#include "remote/append_message.h"
#include "remote/event_batch.h"
#include "remote/remote_cursor.h"

namespace turnlog {
namespace {

constexpr std::string_view kScheme = "unix:", kHttp = "http://", kHttps = "https://";
constexpr std::size_t kPage = 4096;

std::vector<HttpHeader> TypeOf(std::string_view type) { return {{"Content-Type", std::string(type)}}; }

std::string GuardOf(const std::optional<Seq>& expected_last) {
  return expected_last ? fmt::format("expect={}", expected_last->value) : "";
}

std::string DurabilityQuery(Durability durability) {
  return durability == Durability::kSync ? "?durability=sync" : "?durability=buffered";
}

std::string QueryOf(const AppendOptions& options) {
  const std::string durability = DurabilityQuery(options.durability);
  return options.expected_last ? durability + "&" + GuardOf(options.expected_last) : durability;
}

std::unexpected<Error> Wrong(std::string message) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(message)});
}

// `rest`: of a URL after "//". What a service cannot use must not be left out silently: it may be meant for another
// one.
Status CheckUrl(std::string_view rest) {
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  if (authority.contains('@')) {
    return Wrong("the location of a service has no user and no password: the token is given apart (TURNLOG_TOKEN)");
  }
  if (rest.contains('?')) return Wrong("the location of a service has no query: nothing may follow its path");
  if (rest.contains('#')) return Wrong("the location of a service has no fragment: nothing may follow its path");
  return {};
}

// A service that is not there is an answer; one that goes away later is waited for.
Result<ServiceClient::Options> Reach(const std::string& location, const RemoteOptions& options) {
  ServiceClient::Options reached{
      .address = {}, .web = {}, .tls = {}, .token = options.token, .patience = options.patience};
  if (location.starts_with(kHttps)) {
    TURNLOG_TRY(CheckUrl(std::string_view(location).substr(kHttps.size())));
    reached.web = TURNLOG_TRY(ParseWebAddress(location));
    if (reached.web->target.ends_with('/')) reached.web->target.pop_back();
    reached.tls = TURNLOG_TRY(TlsClient::Make(options.authorities));
    TURNLOG_TRY(HttpConnection::Open(*reached.web, *reached.tls, options.patience));
    return reached;
  }
  if (location.starts_with(kScheme)) {
    reached.address.path = location.substr(kScheme.size());
  } else if (location.starts_with(kHttp)) {
    const std::string_view rest = std::string_view(location).substr(kHttp.size());
    TURNLOG_TRY(CheckUrl(rest));
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    if (rest.size() > slash + 1) return Wrong("only a location with https: has a path; http://ADDRESS:PORT has none");
    reached.address = TURNLOG_TRY(ParseTcpAddress(rest.substr(0, slash)));
  } else {
    return Wrong("a service is at unix:PATH, http://ADDRESS:PORT or https://HOST:PORT");
  }
  TURNLOG_TRY(Connect(reached.address, options.patience));
  return reached;
}

// The answer to a call, as `read` understands it.
template <class T>
Result<T> ReadWith(Result<T> (*read)(std::string_view), const Result<std::string>& answer) {
  if (!answer) return std::unexpected(answer.error());
  return read(*answer);
}

}  // namespace

Result<std::unique_ptr<Log>> OpenRemoteLog(const std::string& location, const RemoteOptions& options) {
  auto client = std::make_shared<ServiceClient>(TURNLOG_TRY(Reach(location, options)));
  StoreForm store = TURNLOG_TRY(ReadWith(ReadStore, client->Get("/v1/store")));
  if (options.mode == OpenMode::kCreateNew) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "a store already exists at " + location});
  }
  store.capabilities.appends_later = false;
  store.capabilities.many_writers = true;
  return std::make_unique<RemoteLog>(std::move(client), std::move(store), options.mode);
}

bool IsServiceLocation(std::string_view location) {
  return location.starts_with(kScheme) || location.starts_with(kHttp) || location.starts_with(kHttps);
}

std::filesystem::path ServiceSocket(const std::filesystem::path& store) { return store / "service.sock"; }

Status RemoteLog::MustBeWriter() const {
  if (mode_ != OpenMode::kRead) return client_->MustBeOpen();
  return std::unexpected(Error{ErrorCode::kReadOnly, "the log was opened for reading"});
}

Result<AppendResult> RemoteLog::Append(const ConversationId& conversation, std::span<const EventView> events,
                                       const AppendOptions& options) {
  TURNLOG_TRY(MustBeWriter());
  const bool buffered = options.durability == Durability::kBuffered;
  if (buffered) unsynced_ = true;
  auto result = SendAppend(conversation, events, options);
  if (buffered) unsynced_ = true;  // a checkpoint made meanwhile may have come before it
  return result;
}

Result<AppendResult> RemoteLog::SendAppend(const ConversationId& conversation, std::span<const EventView> events,
                                           const AppendOptions& options) {
  if (store_.combines_appends) {
    const SecretString append = TURNLOG_TRY(EncodeAppend(conversation, events, options.expected_last));
    return (options.durability == Durability::kBuffered ? buffered_ : synced_).Append(append.view());
  }
  std::vector<NumberedEvent> batch;
  for (const EventView& event : events) batch.push_back({{}, event});
  const SecretString body = TURNLOG_TRY(EncodeBatch(batch));
  return ReadWith(ReadAppendResult,
                  client_->Write({.method = "POST",
                                  .target = ConversationPath(conversation, "/events" + QueryOf(options)),
                                  .headers = TypeOf(kEventsType),
                                  .body = {body.view()}}));
}

AppendQueue::Outcomes RemoteLog::SendAppends(std::span<const std::string_view> appends, Durability durability,
                                             AppendQueue::Time since) {
  std::size_t bytes = 0;
  for (const std::string_view append : appends) bytes += append.size();
  const bool streamed = store_.streams_appends && durability == Durability::kSync && bytes <= kMaxStreamedAppends;
  const auto answer = streamed ? client_->Append(appends, since)
                               : client_->Write({.method = "POST",
                                                 .target = "/v1/appends" + DurabilityQuery(durability),
                                                 .headers = TypeOf(kAppendsType),
                                                 .body = {appends.begin(), appends.end()}},
                                                since);
  auto outcomes = ReadWith(ReadOutcomes, answer);
  if (outcomes && outcomes->size() == appends.size()) return *std::move(outcomes);
  const Error error =
      outcomes ? Error{ErrorCode::kIo, "the service gave other outcomes than asked for"} : outcomes.error();
  return AppendQueue::Outcomes(appends.size(), std::unexpected(error));
}

Result<EraseReport> RemoteLog::Erase(const ConversationId& conversation, std::span<const Seq> seqs,
                                     const EraseOptions& options) {
  TURNLOG_TRY(MustBeWriter());
  std::string body = R"({"seqs":[)";
  for (const Seq seq : seqs) body += fmt::format("{}{}", body.ends_with('[') ? "" : ",", seq.value);
  body += "]}";
  return ReadWith(ReadEraseReport,
                  client_->Write({.method = "POST",
                                  .target = ConversationPath(conversation, "/erase?" + GuardOf(options.expected_last)),
                                  .headers = TypeOf("application/json"),
                                  .body = {body}}));
}

Result<RedactReport> RemoteLog::Redact(const ConversationId& conversation, std::span<const Replacement> replacements,
                                       const EventView& redaction, const RedactOptions& options) {
  TURNLOG_TRY(MustBeWriter());
  std::vector<NumberedEvent> batch{{{}, redaction}};
  for (const Replacement& replacement : replacements) batch.push_back({replacement.seq, replacement.event});
  const SecretString body = TURNLOG_TRY(EncodeBatch(batch));
  return ReadWith(ReadRedactReport,
                  client_->Write({.method = "POST",
                                  .target = ConversationPath(conversation, "/redact?" + GuardOf(options.expected_last)),
                                  .headers = TypeOf(kEventsType),
                                  .body = {body.view()}}));
}

Result<std::unique_ptr<Cursor>> RemoteLog::ReadRaw(const ConversationId& conversation, const ReadOptions& options) {
  return OpenRemoteCursor(client_, conversation, options);
}

Result<ConversationInfo> RemoteLog::Info(const ConversationId& conversation) {
  return ReadWith(ReadInfo, client_->Get(ConversationPath(conversation)));
}

Result<std::vector<ConversationInfo>> RemoteLog::ListPages(const std::string& query, std::string_view after,
                                                           std::size_t limit) {
  std::vector<ConversationInfo> all;
  std::string last(after);
  do {
    const std::size_t wanted = std::min(limit - all.size(), kPage);
    auto page = TURNLOG_TRY(ReadWith(ReadInfos, client_->Get(fmt::format("/v1/conversations?limit={}&after={}{}",
                                                                         wanted, PercentEncode(last), query))));
    if (page.empty()) break;
    last = page.back().id;
    std::ranges::move(page, std::back_inserter(all));
  } while (all.size() < limit);
  return all;
}

Result<std::vector<ConversationInfo>> RemoteLog::List(std::string_view after, std::size_t limit) {
  return ListPages("", after, limit);
}

Result<std::vector<ConversationInfo>> RemoteLog::ListChanged(std::string_view consumer, std::string_view after,
                                                             std::size_t limit, Changes which) {
  return ListPages(
      fmt::format("&changed_for={}{}", PercentEncode(consumer), which == Changes::kRepaired ? "&repaired=true" : ""),
      after, limit);
}

Result<std::vector<InquiryRecord>> RemoteLog::FindInquiryRaw(const ConversationId& conversation,
                                                             const InquiryIdView& id) {
  std::string query = "/attempts?view=raw&id=" + PercentEncode(id.text);
  if (id.key) {
    query += fmt::format("&tool_call={}&question={}&attempt={}", PercentEncode(id.key->tool_call),
                         PercentEncode(id.key->question), id.key->attempt);
  }
  return ReadWith(ReadAttempts, client_->Get(ConversationPath(conversation, query)));
}

Result<std::vector<PendingInquiry>> RemoteLog::PendingRaw(const std::optional<ConversationId>& conversation) {
  const std::string query = conversation ? "&conversation=" + PercentEncode(conversation->text()) : "";
  return ReadWith(ReadPending, client_->Get("/v1/pending?view=raw" + query));
}

Result<std::vector<RepairRange>> RemoteLog::Repairs(const ConversationId& conversation) {
  return ReadWith(ReadRepairs, client_->Get(ConversationPath(conversation, "/repairs")));
}

Result<std::optional<Watermark>> RemoteLog::FindWatermark(std::string_view consumer,
                                                          const ConversationId& conversation) {
  const auto body = TURNLOG_TRY(client_->Get(ConversationPath(conversation, "/watermarks/" + PercentEncode(consumer))));
  if (body.empty()) return std::nullopt;
  return TURNLOG_TRY(ReadWatermark(body));
}

Status RemoteLog::SetWatermark(std::string_view consumer, const ConversationId& conversation,
                               const Watermark& watermark) {
  TURNLOG_TRY(MustBeWriter());
  unsynced_ = true;
  const std::string body = ToJson(watermark);
  const auto answer = client_->Call({.method = "PUT",
                                     .target = ConversationPath(conversation, "/watermarks/" + PercentEncode(consumer)),
                                     .headers = TypeOf("application/json"),
                                     .body = {body}});
  unsynced_ = true;  // as after an append
  return answer ? Status() : std::unexpected(answer.error());
}

Result<std::unique_ptr<Tail>> RemoteLog::Follow(const Position& from,
                                                const std::optional<ConversationId>& conversation) {
  return OpenRemoteTail(client_, from, conversation);
}

Result<Position> RemoteLog::End() { return ReadWith(ReadPosition, client_->Get("/v1/end")); }

Result<StoreStats> RemoteLog::Stats() { return TURNLOG_TRY(ReadWith(ReadStore, client_->Get("/v1/store"))).stats; }

Status RemoteLog::VisitStorage(const StorageScan& scan, StorageVisitor& visitor) {
  return VisitRemoteStorage(*client_, scan, visitor);
}

Status RemoteLog::Checkpoint() {
  const bool unsynced = unsynced_.exchange(false);
  const auto answer = client_->Call({.method = "POST", .target = "/v1/checkpoint", .headers = {}, .body = {}});
  if (answer) return {};
  if (unsynced) unsynced_ = true;
  return std::unexpected(answer.error());
}

// What has not been waited for becomes durable, as with other engines.
Status RemoteLog::Close() {
  const bool ends = client_->MustBeOpen().has_value();
  const Status synced = ends && unsynced_ ? Checkpoint() : Status();
  client_->Close();
  return synced;
}

}  // namespace turnlog
