#include "migrate/jp/reader.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <utility>

#include "base/compact_json.h"
#include "base/try.h"
#include "migrate/jp/array.h"
#include "migrate/jp/record.h"
#include "migrate/jp/saved_again.h"
#include "migrate/jp/time.h"
#include "migrate/logged/quarantine.h"
#include "migrate/records/json_array.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_scan.h"
#include "turnlog/json.h"

namespace turnlog {
namespace {

constexpr std::string_view kBaseConfigFile = "base_config.json";

// Until 2025-10-20 jp did not encode tool calls in base64.
constexpr Timestamp kFirstBase64{1'760'918'400'000'000'000};

// What is not shorter may have been a pair.
constexpr std::size_t kShortestPair = 16;

bool IsConfig(const ElementPiece& piece) {
  return piece.kind == ElementPiece::Kind::kElement && !piece.fault &&
         FindJsonString(piece.text, "type") == ToString(EventKind::kConfigDelta);
}

// A newer jp writes the configuration to a file of its own, and then the elements without it. In between, and if it was
// interrupted there, the first element is still the configuration, of which it has dropped what it does not know.
bool IsConfigOf(std::string_view base_config, const ElementPiece& piece) {
  if (!IsConfig(piece)) return false;
  const auto delta = FindJsonField(piece.text, "delta");
  if (!delta) return true;  // of December 2025
  const auto base = ParseJson(base_config);
  const std::string config = base ? CompactJson(base->text()) : std::string();
  return config.starts_with('{') && !IsPartOf(config, "{}") && IsPartOf(config, CompactJson(delta->value));
}

bool IsOlderThanBase64(std::string_view metadata) {
  const auto text = FindJsonString(metadata, "last_activated_at");
  const auto time = text ? ParseJpTime(*text) : std::nullopt;
  return time && *time < kFirstBase64;
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
    : source_(source), path_(source.path.string()), packed_(source.Find(kBaseConfigFile) == nullptr) {}

Result<SourceItem> JpReader::Next() {
  switch (stage_) {
    case Stage::kBegin:
      return Begin();
    case Stage::kFiles:
      return NextFile();
    case Stage::kElements:
      return NextElement();
    case Stage::kEnd:
      return NextElement();
  }
  return EndOfSource();
}

Result<SourceItem> JpReader::Begin() {
  history_ = source_.Find(kJpEventsFile);
  const bool older = history_ == nullptr;
  if (older) history_ = source_.Find(kJpMessagesFile);
  if (history_ == nullptr) return Refuse("no events.json");
  const auto id = JpConversationId(source_.name);
  if (!id) return Refuse(id.error().message);
  conversation_ = id->text();
  history_path_ = history_->path().native();
  bytes_.emplace(*history_);
  elements_.emplace(*bytes_, IsJpElement);
  elements_->SetQuickReader([this](const RawElement& element) { return parser_.ReadPlain(element, context_); });
  stage_ = Stage::kFiles;
  context_.begins_file = context_.first = true;
  if (older) return SourcePart{conversation_, std::string(kJpHistoryPart), std::string(kJpMessagesFile), 0};
  return NextFile();
}

Result<SourceItem> JpReader::NextFile() {
  for (; next_file_ < source_.files.size(); ++next_file_) {
    SourceFile& file = source_.files[next_file_];
    if (&file == history_) continue;
    ++next_file_;
    std::string bytes = TURNLOG_TRY(file.ReadAll());
    if (file.name() == "metadata.json") context_.plain = IsOlderThanBase64(bytes);
    if (file.name() == kBaseConfigFile) base_config_ = bytes;
    const std::uint64_t size = bytes.size();
    return SourcePart{conversation_, JpFilePart(file.name()), std::move(bytes), size};
  }
  stage_ = Stage::kElements;
  return NextElement();
}

Result<SourceItem> JpReader::NextElement() {
  while (items_.empty() && events_.empty() && stage_ != Stage::kEnd) {
    const ElementPiece piece = TURNLOG_TRY(elements_->Next());
    location_ = {history_path_, {}, {}, piece.offset};
    if (piece.kind == ElementPiece::Kind::kEnd) {
      TakeEnd(piece);
    } else if (piece.kind == ElementPiece::Kind::kDamage) {
      TakeDamage(piece);
    } else {
      location_.element = count_++;
      if (!TakeConfig(piece)) TakeElement(piece);
    }
    context_.begins_file = false;
    const bool readable = piece.kind == ElementPiece::Kind::kElement && !piece.fault;
    context_.first = context_.first && !readable && piece.text.size() < kShortestPair;
  }
  if (items_.empty()) return events_.empty() ? SourceItem(EndOfSource()) : NextEvent();
  SourceItem item = std::move(items_.front());
  items_.pop_front();
  return item;
}

// The packed layout begins with the configuration. False: this is another element.
bool JpReader::TakeConfig(const ElementPiece& piece) {
  if (!context_.begins_file) return false;
  if (packed_ ? IsConfig(piece) : IsConfigOf(std::exchange(base_config_, {}), piece)) {
    const std::string bytes = std::string(piece.lead).append(piece.text);
    items_.emplace_back(SourcePart{conversation_, std::string(kJpConfigPart), JpConfigPart(bytes), bytes.size()});
    return true;
  }
  if (packed_ && history_->name() == kJpEventsFile) {
    Note({},
         {ImportProblemCode::kNoBaseConfig,
          "no base config: neither base_config.json nor a config_delta at the beginning"},
         SourceNote::Weight::kOnce);
  }
  return false;
}

void JpReader::TakeElement(const ElementPiece& piece) {
  JpElement element = parser_.Parse({piece.lead, piece.text}, context_, piece.fault);
  for (Event& event : element.events) events_.push_back({std::move(event), 0, {}});
  // Of a repaired element, the bytes belong to the events, and the note to the original bytes before them.
  (element.note.empty() ? events_.front() : events_.back()).size = piece.lead.size() + piece.text.size();
  events_.front().note = {ImportProblemCode::kTextRepaired, std::string(element.note)};
  if (element.fault) {
    problem_ = element.fault->reason;
    location_.byte = piece.offset + element.fault->byte;
  } else {
    CheckEventId(piece);
  }
}

void JpReader::CheckEventId(const ElementPiece& piece) {
  Event& event = events_.back().event;
  if (!event.event_id || !event_ids_.Insert(Hash64(*event.event_id))) return;
  events_.back().note = {ImportProblemCode::kRepeatedId, "`event_id` repeats an earlier one and is kept as text only"};
  if (!event.source_text) event.source_text.emplace(piece.lead).append(piece.text);
  event.event_id.reset();
}

void JpReader::TakeDamage(const ElementPiece& piece) {
  problem_ = piece.reason;
  if (context_.begins_file) is_no_array_ = !piece.text.contains('[');
  Event event =
      MakeQuarantined({.reason = std::string(piece.reason), .lead = {}, .raw = std::string(piece.text), .bare = true});
  events_.push_back({std::move(event), piece.text.size(), {}});
}

// A part has the bytes after the last element unless they are what jp writes; also without elements, because
// a conversation needs at least one part or event.
void JpReader::TakeEnd(const ElementPiece& piece) {
  stage_ = Stage::kEnd;
  const std::uint64_t size = piece.text.size();
  if (!piece.reason.empty()) {
    const bool is_told = is_no_array_ && SkipJsonSpace(piece.text, 0) == size;
    if (!is_told) {
      Note(piece.offset, {ImportProblemCode::kIncomplete, std::string(piece.reason)}, SourceNote::Weight::kProblem);
    }
    items_.emplace_back(SourcePart{.conversation = conversation_,
                                   .name = std::string(kJpTornPart),
                                   .bytes = std::string(piece.text),
                                   .torn = true});
  } else if (count_ > 0 && piece.text == CanonicalTrailer(false)) {
    items_.emplace_back(EndOfSource{size});
  } else {
    items_.emplace_back(SourcePart{conversation_, std::string(kJpTrailerPart), std::string(piece.text), size});
  }
}

void JpReader::Note(std::optional<std::uint64_t> byte, ImportReason note, SourceNote::Weight weight) {
  items_.emplace_back(SourceNote{conversation_, At({history_path_, {}, {}, byte}, std::move(note)), weight});
}

SourceItem JpReader::NextEvent() {
  Waiting waiting = std::move(events_.front());
  events_.pop_front();
  if (auto why = WhyRefused(waiting.event)) return SourceFault{conversation_, At(location_, *std::move(why))};
  SourceEvent item = encoder_.Encode(waiting.event);
  item.conversation = conversation_;
  item.location = location_;
  item.size = waiting.size;
  SourceRemarks remarks{.problem = std::exchange(problem_, {}), .note = std::move(waiting.note)};
  if (!remarks.empty()) item.remark() = std::move(remarks);
  return item;
}

SourceFault JpReader::Refuse(std::string_view reason) {
  stage_ = Stage::kEnd;
  return {std::nullopt, At({path_}, {ImportProblemCode::kMalformed, std::string(reason)})};
}

}  // namespace turnlog
