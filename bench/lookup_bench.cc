// Small reads: one event, one inquiry, the end of a conversation; each time of another conversation.
#include "bench/register.h"
#include "bench/stores.h"

namespace turnlog {
namespace {

constexpr int kWarmUp = 3000;

// Picks stored events in random order.
class Picker {
 public:
  explicit Picker(Mix mix) : per_conversation_(StoredEvents(mix) / kStoredConversations) {}

  void Next() { state_ = state_ * 6364136223846793005 + 1442695040888963407; }
  std::uint32_t conversation() const { return static_cast<std::uint32_t>((state_ >> 32) % kStoredConversations); }
  std::uint64_t seq() const { return (state_ >> 40) % per_conversation_ + 1; }
  std::string inquiry() const {
    const std::uint64_t index = seq() - 1;
    return InquiryIdText(0, (index / kBlock * kStoredConversations + conversation()) * kBlock + index % kBlock);
  }

 private:
  const std::uint64_t per_conversation_;
  std::uint64_t state_ = 1;
};

template <class LookUpFn>
void LookUp(benchmark::State& state, const EngineKind& kind, Mix mix, std::uint64_t expected, LookUpFn look_up) {
  const auto engine = kind.open(StoredBy(kind, mix), Durability::kBuffered);
  Picker picker(mix);
  for (int i = 0; i < kWarmUp; ++i, picker.Next()) look_up(*engine, picker);
  for (auto _ : state) {
    picker.Next();
    if (!SawAll(state, look_up(*engine, picker), expected)) break;
  }
}

template <class LookUpFn>
void AddRow(std::string_view row, std::uint64_t expected, LookUpFn look_up) {
  for (const Mix mix : {Mix::kSmall, Mix::kMixed}) {
    for (const EngineKind* kind : {&kTurnlog, &kRocks, &kLevelDb, &kLmdb, &kSqlite}) {
      RegisterRow(fmt::format("{}, {}", row, ToString(mix)), kind->name, [=](benchmark::State& state) {
        LookUp(state, *kind, mix, expected, look_up);
      })->Unit(benchmark::kMicrosecond);
    }
  }
}

}  // namespace

void RegisterBenchmarks() {
  AddRow("one event by seq", 1,
         [](Engine& engine, const Picker& picker) { return engine.ReadOne(picker.conversation(), picker.seq()); });
  AddRow("one inquiry by id", 1, [](Engine& engine, const Picker& picker) {
    return engine.ReadInquiry(picker.conversation(), picker.inquiry());
  });
  AddRow("last 20 events", 20,
         [](Engine& engine, const Picker& picker) { return engine.ReadLast(picker.conversation(), 20); });
  AddRow("last turn", kTurnEvents,
         [](Engine& engine, const Picker& picker) { return engine.ReadLastTurn(picker.conversation()); });
}

}  // namespace turnlog
