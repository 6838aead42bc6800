#include "migrate/jp/reader.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <utility>

#include "base/try.h"
#include "migrate/jp/record.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

constexpr std::string_view kEvents = "events.json";

bool IsConfig(const RawElement& element) {
  return !FindJsonFault(element.text) && FindJsonString(element.text, "type") == "config_delta";
}

}  // namespace

Result<ConversationId> JpConversationId(std::string_view folder) {
  constexpr std::int64_t kMaxDeciseconds = std::numeric_limits<std::int64_t>::max() / 100'000'000;
  const std::string_view digits = folder.substr(0, folder.find('-'));
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || number > kMaxDeciseconds) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument, "the folder's name does not begin with a jp conversation number"});
  }
  return ConversationId::Parse(fmt::format("{}", number));
}

JpReader::JpReader(Source& source)
    : source_(source), path_(source.path.string()), packed_(source.Find("base_config.json") == nullptr) {}

Result<SourceItem> JpReader::Next() {
  switch (stage_) {
    case Stage::kBegin:
      return Begin();
    case Stage::kFiles:
      return NextFile();
    case Stage::kElements:
      return NextElement();
    case Stage::kEnd:
      return EndOfSource();
  }
  return EndOfSource();
}

Result<SourceItem> JpReader::Begin() {
  SourceFile* events = source_.Find(kEvents);
  if (events == nullptr) {
    const bool older = source_.Find("messages.json") != nullptr;
    return Refuse(path_, older ? "messages.json: a layout of 2025, which is not supported" : "no events.json");
  }
  const auto id = JpConversationId(source_.name);
  if (!id) return Refuse(path_, id.error().message);
  conversation_ = id->text();
  events_path_ = events->path().string();
  events_.emplace(*events);
  stage_ = Stage::kFiles;
  return NextFile();
}

Result<SourceItem> JpReader::NextFile() {
  for (; next_file_ < source_.files.size(); ++next_file_) {
    SourceFile& file = source_.files[next_file_];
    if (file.name() == kEvents) continue;
    ++next_file_;
    std::string bytes = TURNLOG_TRY(file.ReadAll());
    const std::uint64_t size = bytes.size();
    return SourcePart{conversation_, JpFilePart(file.name()), std::move(bytes), size};
  }
  stage_ = Stage::kElements;
  return NextElement();
}

Result<SourceItem> JpReader::NextElement() {
  events_->Consume(std::exchange(consume_, 0));
  const auto piece = TURNLOG_TRY(CutNext());
  if (!piece) {
    SourceFault fault = Refuse(events_path_, bad_->reason);
    fault.problem.byte = events_->offset() + bad_->byte;
    return fault;
  }
  if (piece->kind == ArrayPiece::Kind::kTrailer) {
    stage_ = Stage::kEnd;
    const std::uint64_t size = piece->trailer.size();
    if (piece->trailer == CanonicalTrailer(elements_ == 0)) return EndOfSource{size};
    return SourcePart{conversation_, std::string(kJpTrailerPart), std::string(piece->trailer), size};
  }
  const RawElement& raw = piece->element;
  if (elements_ == 0 && packed_ && !noted_) {
    if (IsConfig(raw)) {
      ++elements_;
      consume_ = raw.lead.size() + raw.text.size();
      return PackedConfig(raw);
    }
    noted_ = true;  // the next call reads the element
    return SourceNote{
        conversation_,
        {events_path_, {}, {}, {}, "no base config: neither base_config.json nor a config_delta at the beginning"}};
  }
  return ReadElement(raw);
}

// Nothing if the text is not an array; bad_ has the reason.
Result<std::optional<ArrayPiece>> JpReader::CutNext() {
  bool whole = false;
  for (;;) {
    const auto piece = CutArray(events_->window(), elements_ == 0, whole);
    if (!piece) {
      bad_ = piece.error();
      return std::nullopt;
    }
    if (piece->kind != ArrayPiece::Kind::kTooShort) return *piece;
    if (events_->window().size() > kMaxRecordBytes) {
      bad_ = BadText{0, "longer than any event"};
      return std::nullopt;
    }
    whole = !TURNLOG_TRY(events_->More());
  }
}

SourceItem JpReader::ReadElement(const RawElement& raw) {
  const std::uint64_t index = elements_++;
  const std::uint64_t begin = events_->offset() + raw.lead.size();
  consume_ = raw.lead.size() + raw.text.size();
  element_ = parser_.Parse(raw, index == 0);
  SourceEvent item{.conversation = conversation_,
                   .seq = {},
                   .event = {},
                   .location = {events_path_, index, {}, begin},
                   .problem = {},
                   .note = {},
                   .size = consume_};
  if (element_.fault) {
    item.location.byte = begin + element_.fault->byte;
    item.problem = element_.fault->reason;
  }
  Event& event = element_.event;
  if (event.event_id && !event_ids_.insert(HashId(*event.event_id, 0)).second) {
    item.note = "`event_id` repeats an earlier one and is kept as text only";
    if (!event.source_text) event.source_text.emplace(raw.lead).append(raw.text);
    event.event_id.reset();
  }
  item.event = View(event);
  return item;
}

SourcePart JpReader::PackedConfig(const RawElement& raw) const {
  const std::string bytes = std::string(raw.lead).append(raw.text);
  return {conversation_, std::string(kJpConfigPart), JpConfigPart(bytes), bytes.size()};
}

SourceFault JpReader::Refuse(std::string_view path, std::string_view reason) {
  stage_ = Stage::kEnd;
  return {std::nullopt, {std::string(path), {}, {}, {}, std::string(reason)}};
}

}  // namespace turnlog
