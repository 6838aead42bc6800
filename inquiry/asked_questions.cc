#include "inquiry/asked_questions.h"

#include <algorithm>
#include <memory>

#include "turnlog/inquiry/answer.h"

namespace turnlog {

Result<Resolution> AskedQuestions::Once(const InquiryAttempt& attempt, const Ask& ask) {
  const Key key{attempt.tool_call, attempt.question_id};
  std::unique_lock lock(mutex_);
  for (auto other = running_.find(key); other != running_.end(); other = running_.find(key)) {
    const std::shared_ptr<RunningQuestion> running = other->second;
    done_.wait(lock, [&] { return running->done; });
    if (running->result && SameQuestion(running->question, attempt.question)) return *running->result;
  }
  const auto mine = std::make_shared<RunningQuestion>(RunningQuestion{attempt.question, false, {}});
  running_.emplace(key, mine);
  const std::uint32_t handed = handed_[key];
  lock.unlock();

  struct Leave {  // also if `ask` throws
    AskedQuestions& all;
    const Key& key;
    RunningQuestion& mine;
    ~Leave() {
      const std::lock_guard guard(all.mutex_);
      mine.done = true;
      if (!mine.result) all.failed_.insert(key);
      all.running_.erase(key);
      all.done_.notify_all();
    }
  } const leave{*this, key, *mine};
  Result<Resolution> result = ask(handed);
  lock.lock();
  mine->result = result;
  lock.unlock();
  return result;
}

void AskedQuestions::Hand(const InquiryAttempt& attempt, std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  std::uint32_t& handed = handed_[{attempt.tool_call, attempt.question_id}];
  handed = std::max(handed, number);
}

void AskedQuestions::Begin(const std::string& inquiry) {
  const std::lock_guard lock(mutex_);
  begun_.insert(inquiry);
}

void AskedQuestions::Defer(const std::string& inquiry) {
  const std::lock_guard lock(mutex_);
  begun_.erase(inquiry);
}

bool AskedQuestions::IsLost(const InquiryId& inquiry, bool failing) const {
  const std::lock_guard lock(mutex_);
  if (!begun_.contains(inquiry.text)) return false;
  return failing || (inquiry.key && failed_.contains({inquiry.key->tool_call, inquiry.key->question}));
}

}  // namespace turnlog
