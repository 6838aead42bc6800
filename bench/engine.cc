#include "bench/engine.h"

#include <cstdio>
#include <cstdlib>

#include "turnlog/open_log.h"
#include "turnlog/segment_log.h"

namespace turnlog {
namespace {

class Turnlog : public Engine {
 public:
  explicit Turnlog(const std::filesystem::path& folder) : log_(Must(OpenLog(folder))) {}
  Turnlog(const std::filesystem::path& folder, Compression compression)
      : log_(Must(OpenSegmentLog(folder, {.compression = compression}))) {}

  std::uint64_t AppendLater(const Batch& batch) override {
    return Must(log_->AppendLater(Id(batch.conversation), batch.events)).ticket.handle;
  }
  void Wait(std::uint64_t ticket, Durability durability) override { Must(log_->Wait({ticket}, durability)); }
  void Settle() override { Must(log_->Checkpoint()); }

  Seen ReadAll(Depth depth) override {
    const auto tail = Must(log_->Follow({}));
    return Drain(*tail, depth);
  }
  Seen ReadConversation(std::uint32_t conversation) override { return Read(conversation, {}); }
  Seen ReadOne(std::uint32_t conversation, std::uint64_t seq) override {
    return Read(conversation, {.from = {seq}, .limit = 1});
  }
  Seen ReadLast(std::uint32_t conversation, std::uint64_t count) override {
    return Read(conversation, {.from = {0}, .backward = true, .limit = count});
  }
  Seen ReadLastTurn(std::uint32_t conversation) override { return Read(conversation, {.last_turns = 1}); }
  Seen ReadInquiry(std::uint32_t conversation, std::string_view id) override {
    // FindInquiry also reads the request's record to compare the id.
    const auto records = Must(log_->FindInquiry(Id(conversation), {.text = id, .key = {}}));
    return {.events = records.size(), .check = records.empty() ? 0 : records.front().request->value};
  }

 private:
  // A program that appends a lot keeps its ids.
  const ConversationId& Id(std::uint32_t conversation) {
    thread_local std::vector<ConversationId> ids;
    while (ids.size() <= conversation) {
      ids.push_back(Must(ConversationId::Parse(ConversationName(static_cast<std::uint32_t>(ids.size())))));
    }
    return ids[conversation];
  }

  Seen Read(std::uint32_t conversation, const ReadOptions& options) {
    const auto cursor = Must(log_->ReadRaw(Id(conversation), options));
    return Drain(*cursor, Depth::kRecord);
  }

  template <class Source>
  static Seen Drain(Source& source, Depth depth) {
    Seen seen;
    for (;;) {
      const Item item = Must(source.Next());
      if (std::holds_alternative<EndOfLog>(item)) return seen;
      const auto* record = std::get_if<Record>(&item);
      if (record == nullptr) Fail("a record is damaged or erased");
      ++seen.events;
      seen.check += record->payload.size();
      if (depth == Depth::kFields) {
        seen.check += static_cast<std::uint64_t>(Must(record->Time()).value_or(Timestamp{}).nanos);
      }
    }
  }

  std::unique_ptr<Log> log_;
};

}  // namespace

void Fail(std::string_view what) {
  std::fprintf(stderr, "benchmark: %.*s\n", static_cast<int>(what.size()), what.data());
  std::exit(1);
}

const EngineKind kTurnlog{"turnlog", [](const std::filesystem::path& folder, Durability) -> std::unique_ptr<Engine> {
                            return std::make_unique<Turnlog>(folder);
                          }};
const EngineKind kTurnlogFast{"turnlog fast",
                              [](const std::filesystem::path& folder, Durability) -> std::unique_ptr<Engine> {
                                return std::make_unique<Turnlog>(folder, Compression::kFast);
                              }};
const EngineKind kTurnlogSmall{"turnlog small",
                               [](const std::filesystem::path& folder, Durability) -> std::unique_ptr<Engine> {
                                 return std::make_unique<Turnlog>(folder, Compression::kSmall);
                               }};

}  // namespace turnlog
