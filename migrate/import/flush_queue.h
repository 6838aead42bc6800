// Conversations on their way to the log: appended by a thread of their own, in order, while their source is read on.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "migrate/import/open_conversation.h"

namespace turnlog {

// Some events of a conversation, or all.
struct ConversationFlush {
  std::shared_ptr<OpenConversation> conversation;
  std::size_t bytes = 0;             // of the events
  std::vector<WaitingEvent> events;  // when it is done, only to be freed
  bool last = false;                 // the source has no more of it

  // When it is done: fails if the log fails, or has the conversation from another import (kConflict).
  Status status{};
  bool refused = false;  // the conversation is not imported; the report says why
  bool ignored = false;  // because a flush before it was
};

// Memory: about 8 MiB of events, or those of one flush, and a few hundred conversations.
class FlushQueue {
 public:
  // `path`: of the source, for problems. `threaded`: it may have a thread, which then is the only one to use `run`
  // until Finish returns.
  FlushQueue(ImportRun& run, std::string path, bool threaded)
      : run_(run), path_(std::move(path)), threaded_(threaded) {}
  FlushQueue(const FlushQueue&) = delete;
  FlushQueue& operator=(const FlushQueue&) = delete;
  // What has not been begun is dropped.
  ~FlushQueue();

  void Push(ConversationFlush flush);
  // What is done and was not returned before, in order. Valid until the next call of any function.
  std::vector<ConversationFlush>& TakeDone();
  // All is done when it returns.
  void Finish();

 private:
  using Batch = std::vector<ConversationFlush>;

  void Run(Batch& batch);
  void Run(ConversationFlush& flush);
  void HandOver();
  Batch TakeSpare();
  bool BeginThread();
  void Work();

  ImportRun& run_;
  const std::string path_;
  const bool threaded_;
  Batch filling_, taken_;
  std::size_t filling_bytes_ = 0;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Batch> waiting_, done_;
  std::vector<Batch> spare_;
  std::size_t handed_bytes_ = 0;  // of what waits or is being run
  bool running_ = false, stopped_ = false;
  std::jthread thread_;  // the last member: it ends before the others do
};

}  // namespace turnlog
