// JSON lines: parsing and encoding alone, beside simdjson's visit of every field of the same lines, the whole import of
// a file into a store, and the export of a store.
#include <simdjson.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "base/hash.h"
#include "bench/register.h"
#include "bench/stores.h"
#include "schema/event/codec.h"
#include "turnlog/event_json.h"
#include "turnlog/migrate/export.h"
#include "turnlog/migrate/import.h"
#include "turnlog/open_log.h"

namespace turnlog {
namespace {

std::string ReadLines(Mix mix) {
  std::ifstream in(StoredLines(mix), std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void CountLines(benchmark::State& state, Mix mix) {
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(StoredLines(mix)));
  state.SetBytesProcessed(state.iterations() * bytes);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(StoredEvents(mix)));
}

template <class UseFn>
void ForEachLine(std::string_view text, UseFn use) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    use(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

void Parse(benchmark::State& state, Mix mix, bool encode) {
  const std::string text = ReadLines(mix);
  EventParser parser;
  EventEncoder encoder;
  for (auto _ : state) {
    Seen seen;
    ForEachLine(text, [&](std::string_view line) {
      const EventView event = Must(parser.Parse(line));
      seen.check += encode ? Hash64(encoder.Encode(event)) : event.body.index();
      ++seen.events;
    });
    if (!SawAll(state, seen, StoredEvents(mix))) break;
  }
  CountLines(state, mix);
}

// Every field and value, converted; returns how many.
template <class Value>
std::uint64_t VisitAll(Value&& value) {
  std::uint64_t count = 1;
  switch (value.type().value_unsafe()) {
    case simdjson::ondemand::json_type::object:
      for (auto field : value.get_object()) {
        benchmark::DoNotOptimize(field.unescaped_key().value_unsafe());
        count += VisitAll(field.value());
      }
      break;
    case simdjson::ondemand::json_type::array:
      for (auto element : value.get_array()) count += VisitAll(element);
      break;
    case simdjson::ondemand::json_type::string:
      benchmark::DoNotOptimize(value.get_string().value_unsafe());
      break;
    case simdjson::ondemand::json_type::number:
      benchmark::DoNotOptimize(value.get_number().value_unsafe());
      break;
    case simdjson::ondemand::json_type::boolean:
      benchmark::DoNotOptimize(value.get_bool().value_unsafe());
      break;
    case simdjson::ondemand::json_type::null:
      benchmark::DoNotOptimize(value.is_null());
      break;
  }
  return count;
}

void VisitWithSimdjson(benchmark::State& state, Mix mix) {
  const simdjson::padded_string text(ReadLines(mix));
  simdjson::ondemand::parser parser;
  for (auto _ : state) {
    simdjson::ondemand::document_stream documents;
    if (parser.iterate_many(text, std::size_t{1} << 20).get(documents)) return state.SkipWithError("not JSON");
    Seen seen;
    for (auto document : documents) {
      seen.check += VisitAll(document);
      ++seen.events;
    }
    if (!SawAll(state, seen, StoredEvents(mix))) break;
  }
  CountLines(state, mix);
}

void Import(benchmark::State& state, Mix mix) {
  const std::filesystem::path lines = StoredLines(mix);
  for (auto _ : state) {
    state.PauseTiming();
    std::optional<Folder> folder(std::in_place);
    state.ResumeTiming();
    {
      const auto log = Must(OpenLog(folder->path()));
      const ImportReport report = Must(Import(*log, "jsonl", std::span(&lines, 1)));
      if (!SawAll(state, {.events = report.events}, StoredEvents(mix))) break;
      Must(log->Close());
    }
    state.PauseTiming();
    folder.reset();
    state.ResumeTiming();
  }
  CountLines(state, mix);
}

// To nowhere: what a store gives, not what a file takes.
void Export(benchmark::State& state, Mix mix, unsigned threads) {
  const Folder folder;
  const std::filesystem::path lines = StoredLines(mix);
  const auto log = Must(OpenLog(folder.path()));
  Must(Import(*log, "jsonl", std::span(&lines, 1)));
  std::vector<ConversationId> conversations;
  for (const ConversationInfo& info : Must(log->List({}, kStoredConversations))) {
    conversations.push_back(Must(ConversationId::Parse(info.id)));
  }
  for (auto _ : state) {
    std::uint64_t bytes = 0;
    const ExportSink count = [&](std::string_view piece) -> Status {
      bytes += piece.size();
      return {};
    };
    const ExportReport report = Must(ExportToStream(*log, "jsonl", conversations, count, {.threads = threads}));
    if (report.conversations != kStoredConversations || bytes < std::filesystem::file_size(lines) / 2) {
      return state.SkipWithError("not exported");
    }
  }
  CountLines(state, mix);
}

}  // namespace

void RegisterBenchmarks() {
  for (const Mix mix : {Mix::kSmall, Mix::kMixed}) {
    const auto add = [&](std::string_view row, auto run) {
      RegisterRow(fmt::format("{}, {}", row, ToString(mix)), "turnlog", run)->Unit(benchmark::kMillisecond);
    };
    add("parse and validate JSON lines", [=](benchmark::State& state) { Parse(state, mix, false); });
    RegisterRow(fmt::format("parse and validate JSON lines, {}", ToString(mix)), "simdjson",
                [=](benchmark::State& state) { VisitWithSimdjson(state, mix); })
        ->Unit(benchmark::kMillisecond);
    add("parse, validate, encode, hash", [=](benchmark::State& state) { Parse(state, mix, true); });
    add("JSON lines into a new store", [=](benchmark::State& state) { Import(state, mix); });
    add("JSON lines out of a store", [=](benchmark::State& state) { Export(state, mix, 0); });
    add("JSON lines out of a store, one thread", [=](benchmark::State& state) { Export(state, mix, 1); });
  }
}

}  // namespace turnlog
