#include "service/notifier.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): signal sets are POSIX

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "schema/json/json_writer.h"
#include "service/call.h"
#include "service/digest.h"

namespace turnlog {
namespace {

constexpr std::size_t kIdBytes = 8;

}  // namespace

Notifier::Notifier(Log& log, std::unique_ptr<NotificationTarget> target, std::string link, NotifierTimes times,
                   OnOutcome on_outcome)
    : log_(log),
      target_(std::move(target)),
      link_(std::move(link)),
      times_(std::move(times)),
      on_outcome_(std::move(on_outcome)),
      thread_([this] { Run(); }) {}

Notifier::~Notifier() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  target_->Abort();
  thread_.join();
}

void Notifier::Wake() {
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(dirty_, true)) return;
  }
  changed_.notify_all();
}

bool Notifier::Pause(std::unique_lock<std::mutex>& lock, std::chrono::milliseconds time) {
  return !changed_.wait_for(lock, time, [this] { return stopping_; });
}

void Notifier::Run() {
  sigset_t all;
  (void)::sigfillset(&all);
  (void)::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || dirty_; });
    if (stopping_ || !Pause(lock, times_.gather)) return;
    dirty_ = false;
    lock.unlock();
    auto news = Look();
    const bool quiet = news && news->message.empty();
    const bool done = quiet || (news && Deliver(news->message));
    if (done) known_ = std::move(news->waiting);
    lock.lock();
    if (!done) dirty_ = true;  // what was not told is told later
    if (!quiet && !Pause(lock, times_.interval)) return;
  }
}

Result<Notifier::News> Notifier::Look() {
  const auto pending = TURNLOG_TRY(log_.Pending({}));
  News news;
  for (const PendingInquiry& each : pending) news.waiting.emplace(each.conversation, each.request.value);
  news.message = MessageOf(news.waiting);
  return news;
}

std::string Notifier::MessageOf(const std::set<Inquiry>& waiting) const {
  const auto added = std::ranges::count_if(waiting, [&](const Inquiry& each) { return !known_.contains(each); });
  if (added == 0) return {};
  std::set<std::string_view> conversations;
  for (const auto& [conversation, request] : waiting) conversations.insert(conversation);
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Field("event", "blocked");
  json.Field("id", RandomHex(kIdBytes));
  json.Field("time", TimeNow().ToRfc3339());
  json.Key("new"), json.Unsigned(static_cast<std::uint64_t>(added));
  json.Key("waiting"), json.Unsigned(waiting.size());
  json.Key("conversations"), json.Unsigned(conversations.size());
  if (!link_.empty()) json.Field("link", link_);
  json.EndObject();
  return text;
}

bool Notifier::Deliver(const std::string& message) {
  bool sent = target_->Send(message, times_.attempt).has_value();
  for (const auto wait : times_.retries) {
    std::unique_lock lock(mutex_);
    if (sent || !Pause(lock, wait)) break;
    lock.unlock();
    sent = target_->Send(message, times_.attempt).has_value();
  }
  on_outcome_(target_->kind(), sent);
  return sent;
}

}  // namespace turnlog
