// Stores written by released versions: the files of the log, and their contents as JSON lines.
// TURNLOG_REGENERATE_GOLDEN in the environment rewrites the stores of the newest version from the lines; only for a
// format that was never released.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

#include "store/engine/event_log.h"
#include "store/segments/store_identity.h"
#include "tests/store/log_fixture.h"
#include "tests/support/source_dir.h"
#include "turnlog/event_json.h"
#include "turnlog/maintenance.h"

namespace turnlog::golden_store_test {
namespace {

using testing::IsEmpty;

std::filesystem::path Golden(std::uint32_t version, std::string_view name) {
  return SourceDir() / fmt::format("tests/golden/v{}", version) / name;
}
// Plain, with erased events, with redacted ones, with claims; and one of version 1 that this version has written to.
// The dumps of all but the first have a line for each record and tombstone.
const std::filesystem::path kDump = Golden(kFormatVersion, "store.jsonl");

constexpr StoreIdentity kIdentity{
    .id_high = 0x0123456789abcdef, .id_low = 0xfedcba9876543210, .created = {1'000'000'000}};

std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// The golden files of a store: all but the index, which is rebuilt, and the lock.
std::map<std::string, std::string> FrozenFiles(const std::filesystem::path& store) {
  std::map<std::string, std::string> files{{"STORE", Contents(store / "STORE")}};
  for (const auto& entry : std::filesystem::directory_iterator(store / "log")) {
    files["log/" + entry.path().filename().string()] = Contents(entry.path());
  }
  return files;
}

void Freeze(const std::filesystem::path& store, const std::filesystem::path& to) {
  std::filesystem::remove_all(to);
  std::filesystem::create_directories(to / "log");
  for (const auto& [name, contents] : FrozenFiles(store)) std::ofstream(to / name, std::ios::binary) << contents;
}

std::unique_ptr<Log> OpenNew(const std::filesystem::path& path) {
  std::filesystem::create_directories(path / "log");
  std::filesystem::create_directories(path / "index");
  std::ofstream(path / "STORE", std::ios::binary) << EncodeIdentity(kIdentity);
  return Must(OpenQuietLog(path, {.mode = OpenMode::kWrite, .segment_bytes = 8 << 10}));
}

// Appends the events of the dump, up to four events of a conversation together. Deterministic: one thread and no
// checkpoint, so that the frames are the same.
void WriteStore(const std::filesystem::path& path) {
  const auto log = OpenNew(path);
  std::ifstream dump(kDump);
  std::string conversation;
  std::vector<Event> batch;
  std::size_t appends = 0;
  const auto append = [&] {
    if (batch.empty()) return;
    const Durability durability = ++appends % 3 == 0 ? Durability::kSync : Durability::kBuffered;
    Must(log->Append(Id(conversation), batch, {.durability = durability, .expected_last = {}}));
    batch.clear();
  };
  for (std::string line; std::getline(dump, line);) {
    EventParser parser;
    Event event = Own(Must(parser.Parse(line)));
    if (conversation != parser.envelope().conversation || batch.size() > appends % 4) append();
    conversation = parser.envelope().conversation.value();
    batch.push_back(std::move(event));
  }
  append();
  Must(log->Close());
}

std::string Dump(Log& log) {
  std::string dump;
  const auto tail = Must(log.Follow({}));
  for (Item item = Must(tail->Next()); !std::holds_alternative<EndOfLog>(item); item = Must(tail->Next())) {
    const auto& record = std::get<Record>(item);
    AppendJson(Must(record.Decode()), record.conversation, record.seq, dump);
    dump += '\n';
  }
  return dump;
}

// Every second event, in two erasures: those of an inquiry, named ones and timed ones, within an append and alone.
void WriteErasedStore(const std::filesystem::path& path) {
  const auto log = OpenNew(path);
  const auto erase = [&](std::string_view conversation, std::vector<Seq> seqs) {
    Must(log->Erase(Id(conversation), seqs));
  };
  Event timed = Say("timed");
  timed.timestamp = Timestamp{1'769'851'800'123'456'789};
  const InquiryId id = Keyed("call", "q", 1);
  Must(log->Append(Id("a"), std::vector<Event>{NewTurn(), timed, Say("stays"), Named("known", Say("named"))}));
  Must(log->Append(Id("a"), Ask(id)));
  Must(log->Append(Id("a"), Answer(id)));
  erase("a", {{2}, {4}});
  for (int i = 0; i < 30; ++i) Must(log->Append(Id("b"), Say(std::string(static_cast<std::size_t>(i) * 31, 'b'))));
  Must(log->Append(Id("a"), std::vector<Event>{NewTurn(), AskSecret(Opaque("secret"))}));
  erase("a", {{8}, {6}, {1}});
  erase("b", {{1}, {10}, {20}, {30}});
  Must(log->Close());
}

// Events that are redacted once, twice, and erased afterwards; a `repair` event; replacements in several segments.
void WriteRedactedStore(const std::filesystem::path& path) {
  const auto log = OpenNew(path);
  const Event redaction = Must(ParseEvent(R"({"type":"redaction","timestamp":"2026-01-31T09:30:00Z","by":"golden"})"));
  const auto redact = [&](std::string_view conversation, const std::map<std::uint64_t, Event>& events) {
    std::vector<Replacement> replacements;
    for (const auto& [seq, event] : events) replacements.push_back({{seq}, View(event)});
    Must(log->Redact(Id(conversation), replacements, View(redaction)));
  };
  const InquiryId id = Keyed("call", "q", 1);
  Event timed = Named("known", Say("secret"));
  timed.timestamp = Timestamp{1'769'851'800'123'456'789};
  Must(log->Append(Id("a"), std::vector<Event>{NewTurn(), timed, Ask(id), Answer(id), Say("stays"), Repaired(2, 5)}));
  for (int i = 0; i < 30; ++i) Must(log->Append(Id("b"), Say(std::string(static_cast<std::size_t>(i) * 31, 'b'))));
  Event now = timed;
  now.body = ChatRequest{.content = "[redacted]"};
  redact("a", {{2, now}, {4, Redacted(id)}, {6, Repaired(2, 5)}});
  redact("b", {{1, Say("1")}, {10, Say("10")}, {20, Say(std::string(5'000, '2'))}, {30, Say("30")}});
  redact("b", {{10, Say("ten")}, {20, Say("twenty")}});
  Must(log->Erase(Id("b"), std::vector<Seq>{{20}, {30}}));
  Must(log->Close());
}

// Claims between events of one conversation, at the end of a segment's events, and at the end of the log.
void WriteClaimedStore(const std::filesystem::path& path) {
  std::filesystem::create_directories(path / "log");
  std::filesystem::create_directories(path / "index");
  std::ofstream(path / "STORE", std::ios::binary) << EncodeIdentity(kIdentity);
  const auto log = Must(EventLog::Open(path, {.mode = OpenMode::kWrite, .segment_bytes = 8 << 10}, {}));
  for (int i = 0; i < 24; ++i) {
    Must(log->Append(Id("a"), Say(std::string(static_cast<std::size_t>(i) * 31, 'a'))));
    if (i % 3 != 2) continue;
    log->ClaimIfIdle();
    log->ClaimIfIdle();
  }
  Must(log->Close());
}

std::string LinesOf(Log& log) {
  std::string lines;
  for (const std::string& line : TailLines(*Must(log.Follow({})))) lines += line + '\n';
  return lines;
}

// A store of version 1 that is written to: old frames stay, new ones go into segments of the newest version.
void WriteUpgradedStore(const std::filesystem::path& path) {
  std::filesystem::copy(Golden(1, "redacted_store"), path, std::filesystem::copy_options::recursive);
  const auto log = Must(OpenQuietLog(path, {.mode = OpenMode::kWrite, .segment_bytes = 8 << 10}));
  for (int i = 0; i < 12; ++i) Must(log->Append(Id("b"), Say(std::string(static_cast<std::size_t>(i) * 97, 'n'))));
  Must(log->Append(Id("new"), Say("first")));
  Must(log->Erase(Id("b"), std::vector<Seq>{{2}, {34}}));
  const Event redaction = Must(ParseEvent(R"({"type":"redaction","by":"golden"})"));
  const Event now = Say("three"), later = Say("thirty-six");
  Must(log->Redact(Id("b"), std::vector<Replacement>{{{3}, View(now)}, {{36}, View(later)}}, View(redaction)));
  Must(log->Close());
}

// Events stored in every way in turns; some erased, some redacted.
void WriteCompressedStore(const std::filesystem::path& path) {
  const auto log = OpenNew(path);
  for (int i = 0; i < 24; ++i) {
    Must(SetCompression(*log, static_cast<Compression>(i % 3)));
    std::string text;
    for (int word = 0; word < 12 + i; ++word)
      text += "word " + std::to_string(word * i) + " of event " + std::to_string(i) + ". ";
    Must(log->Append(Id("c"), Say(text)));
  }
  Must(log->Erase(Id("c"), std::vector<Seq>{{2}, {3}}));
  const Event redaction = Must(ParseEvent(R"({"type":"redaction","by":"golden"})"));
  const Event now = Say(std::string(100, 'n')), later = Say("later");
  Must(log->Redact(Id("c"), std::vector<Replacement>{{{5}, View(now)}, {{6}, View(now)}}, View(redaction)));
  Must(log->Redact(Id("c"), std::vector<Replacement>{{{6}, View(later)}}, View(redaction)));
  Must(log->Close());
}

using Writer = void (*)(const std::filesystem::path&);
// Not written the same for ever: libraries may compress better.
constexpr std::string_view kCompressed = "compressed_store";
const std::map<std::string, Writer> kWriters{{"store", WriteStore},
                                             {"erased_store", WriteErasedStore},
                                             {"redacted_store", WriteRedactedStore},
                                             {"upgraded_store", WriteUpgradedStore},
                                             {"claimed_store", WriteClaimedStore},
                                             {std::string(kCompressed), WriteCompressedStore}};

void Regenerate(const std::filesystem::path& folder) {
  for (const auto& [name, write] : kWriters) {
    write(folder / name);
    const std::filesystem::path golden = Golden(kFormatVersion, name);
    Freeze(folder / name, golden);
    if (name == "store") continue;
    std::ofstream(golden.string() + ".txt") << LinesOf(*Must(OpenQuietLog(golden, {.mode = OpenMode::kRead})));
  }
}

class GoldenStore : public testing::Test {
 protected:
  GoldenStore() {
    if (std::getenv("TURNLOG_REGENERATE_GOLDEN") != nullptr) Regenerate(folder_ / "new");
  }
  std::filesystem::path Copy(const std::filesystem::path& golden) {
    std::filesystem::copy(golden, folder_ / "copy", std::filesystem::copy_options::recursive);
    return folder_ / "copy";
  }

  TempDir folder_;
};

// Stores of every format version.
class GoldenStoreOf : public GoldenStore, public testing::WithParamInterface<std::uint32_t> {
 protected:
  const std::filesystem::path golden_ = Golden(GetParam(), "store");
  const std::filesystem::path erased_ = Golden(GetParam(), "erased_store");
  const std::filesystem::path redacted_ = Golden(GetParam(), "redacted_store");
};
INSTANTIATE_TEST_SUITE_P(Versions, GoldenStoreOf, testing::Range(kOldestFormatVersion, kFormatVersion + 1));

TEST_P(GoldenStoreOf, IsReadWithoutAnIndexAndLeftAsItIs) {
  const std::filesystem::path store = Copy(golden_);
  const auto log = Must(OpenQuietLog(store, {.mode = OpenMode::kRead}));
  EXPECT_EQ(Dump(*log), Contents(golden_.string() + ".jsonl"));
  EXPECT_EQ(Must(log->Stats()).store_id, "0123456789abcdeffedcba9876543210");
  EXPECT_THAT(AttemptLines(*log, "turns", Keyed("call", "again", 1)),
              testing::ElementsAre("t1 2..3", "t2 5..6", "t3 8..9"));
  EXPECT_EQ(PendingLines(*log, "turns"), std::vector<std::string>{"turns t4 11"});
  EXPECT_EQ(FrozenFiles(store), FrozenFiles(golden_));
}

TEST_P(GoldenStoreOf, IsWrittenToAndVerifies) {
  const std::filesystem::path store = Copy(golden_);
  auto log = Must(OpenQuietLog(store, {.mode = OpenMode::kWrite, .segment_bytes = 8 << 10}));
  EXPECT_EQ(Dump(*log), Contents(golden_.string() + ".jsonl"));
  EXPECT_EQ(Seqs(log->Append(Id("turns"), Answer(Opaque("call.pending")))), std::vector<std::int64_t>{14});
  EXPECT_THAT(PendingLines(*log, "turns"), IsEmpty());
  EXPECT_EQ(Must(log->Append(Id("chat"), Named("id of chat_response_message", Say("x")))).events[0].repeated, true);
  Must(log->Close());
  EXPECT_TRUE(Must(VerifyStore(store)).clean());
  log = Must(OpenQuietLog(store, {.mode = OpenMode::kRead}));
  EXPECT_EQ(Must(log->Info(Id("turns"))).last.value, 14U);
}

void ExpectSameFiles(const std::filesystem::path& today, const std::filesystem::path& golden) {
  const auto files = FrozenFiles(today);
  const auto frozen = FrozenFiles(golden);
  EXPECT_GT(frozen.size(), 3U);
  for (const auto& [name, contents] : frozen) {
    ASSERT_TRUE(files.contains(name)) << name;
    EXPECT_TRUE(files.at(name) == contents) << name << " differs";
  }
  EXPECT_EQ(files.size(), frozen.size());
}

TEST_P(GoldenStoreOf, WithErasedEventsIsReadWithoutAnIndex) {
  const auto log = Must(OpenQuietLog(Copy(erased_), {.mode = OpenMode::kRead}));
  EXPECT_EQ(LinesOf(*log), Contents(erased_.string() + ".txt"));
  EXPECT_EQ(Must(log->Info(Id("a"))).first_time, Timestamp{1'769'851'800'123'456'789});
  EXPECT_THAT(AttemptLines(*log, "a", Keyed("call", "q", 1)), testing::ElementsAre("t1 5..6"));
  EXPECT_EQ(PendingLines(*log), std::vector<std::string>{"a t2 8"});
}

TEST_P(GoldenStoreOf, WithErasedEventsIsWrittenToAndVerifies) {
  const std::filesystem::path store = Copy(erased_);
  const auto log = Must(OpenQuietLog(store, {.mode = OpenMode::kWrite, .segment_bytes = 8 << 10}));
  EXPECT_EQ(Must(log->Append(Id("a"), Named("known", Say("x")))).events[0].repeated, true);
  EXPECT_EQ(CodeOf(log->Append(Id("a"), Answer(Opaque("secret")))), "secret refused");
  Must(log->Close());
  const VerifyReport report = Must(VerifyStore(store));
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.erased, 9U);
}

TEST_P(GoldenStoreOf, WithRedactedEventsIsReadWithoutAnIndex) {
  const auto log = Must(OpenQuietLog(Copy(redacted_), {.mode = OpenMode::kRead}));
  EXPECT_EQ(LinesOf(*log), Contents(redacted_.string() + ".txt"));
  EXPECT_EQ(Must(log->Info(Id("a"))).first_time, Timestamp{1'769'851'800'123'456'789});
  EXPECT_THAT(AttemptLines(*log, "a", Keyed("call", "q", 1)), testing::ElementsAre("t1 3..4"));
  EXPECT_THAT(RepairLines(*log, "a"), testing::ElementsAre("6: 2..5"));
}

TEST_P(GoldenStoreOf, WithRedactedEventsIsWrittenToAndVerifies) {
  const std::filesystem::path store = Copy(redacted_);
  const auto log = Must(OpenQuietLog(store, {.mode = OpenMode::kWrite, .segment_bytes = 8 << 10}));
  const AppendedEvent known = Must(log->Append(Id("a"), Named("known", Say("x")))).events[0];
  EXPECT_TRUE(known.repeated && known.redacted);
  const Event redaction = Must(ParseEvent(R"({"type":"redaction"})")), now = Say("once more");
  Must(log->Redact(Id("b"), std::vector<Replacement>{{{10}, View(now)}}, View(redaction)));
  EXPECT_THAT(Lines(*log, "b", {.from = {10}, .limit = 1}), testing::ElementsAre("10 0 once more"));
  Must(log->Close());
  const VerifyReport report = Must(VerifyStore(store));
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.erased, 2U);
  EXPECT_EQ(report.redacted, 5U);
}

TEST_F(GoldenStore, OfTheNewestVersionIsWrittenTheSameToday) {
  for (const auto& [name, write] : kWriters) {
    if (name == kCompressed) continue;
    SCOPED_TRACE(name);
    write(folder_ / name);
    ExpectSameFiles(folder_ / name, Golden(kFormatVersion, name));
  }
}

TEST_F(GoldenStore, WithClaimsIsReadWithoutAnIndexAndVerifies) {
  const std::filesystem::path golden = Golden(kFormatVersion, "claimed_store");
  const std::filesystem::path store = Copy(golden);
  EXPECT_EQ(LinesOf(*Must(OpenQuietLog(store, {.mode = OpenMode::kRead}))), Contents(golden.string() + ".txt"));
  const VerifyReport report = Must(VerifyStore(store));
  EXPECT_EQ(report.damage_count, 0U);
  EXPECT_EQ(report.events, 24U);
  EXPECT_EQ(report.records, 1 + 24 + 8U) << "a conversation, its events, and claims";
  EXPECT_EQ(report.unclaimed_bytes, 0U) << "the log needs no index to confirm its last record";
}

TEST_F(GoldenStore, WithCompressedRecordsIsReadAndWrittenTo) {
  const std::filesystem::path golden = Golden(kFormatVersion, kCompressed);
  const std::filesystem::path store = Copy(golden);
  EXPECT_EQ(LinesOf(*Must(OpenQuietLog(store, {.mode = OpenMode::kRead}))), Contents(golden.string() + ".txt"));
  const auto log = Must(OpenQuietLog(store, {.mode = OpenMode::kWrite, .segment_bytes = 8 << 10}));
  EXPECT_EQ(Must(log->Stats()).compression, "small");
  Must(log->Append(Id("c"), Say(std::string(1000, 'x'))));
  Must(log->Close());
  const VerifyReport report = Must(VerifyStore(store));
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.erased, 2U);
  EXPECT_EQ(report.redacted, 2U);
}

TEST_F(GoldenStore, OfVersion1IsUpgradedByItsNextWriter) {
  const std::filesystem::path golden = Golden(kFormatVersion, "upgraded_store");
  const std::filesystem::path store = Copy(golden);
  const auto log = Must(OpenQuietLog(store, {.mode = OpenMode::kRead}));
  EXPECT_EQ(LinesOf(*log), Contents(golden.string() + ".txt"));
  EXPECT_EQ(Must(log->Stats()).format_version, kFormatVersion);
  const VerifyReport report = Must(VerifyStore(store));
  EXPECT_EQ(report.damage_count, 0U);
  EXPECT_EQ(report.erased, 4U);
  EXPECT_EQ(report.redacted, 7U);
  // Only a seal has been appended to the old segments.
  const auto before = FrozenFiles(Golden(1, "redacted_store")), after = FrozenFiles(golden);
  std::size_t changed = 0;
  for (const auto& [name, contents] : before) {
    if (name.starts_with("log/") && after.at(name).size() != contents.size()) ++changed;
  }
  EXPECT_EQ(changed, 1U) << "the last segment is as long as it was made again";
}

}  // namespace
}  // namespace turnlog::golden_store_test
