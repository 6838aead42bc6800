#include "logctl/search_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/unicode.h"
#include "logctl/json_document.h"
#include "logctl/report_fields.h"
#include "logctl/text.h"

namespace turnlog {
namespace {

// Counts the matching events of each conversation. Events arrive grouped by conversation.
class Counter {
 public:
  // Returns the previous conversation with its count when the next one begins.
  struct Counted {
    std::string conversation;
    std::uint64_t matches = 0;
  };
  std::optional<Counted> Add(const FoundEvent& event) {
    if (event.conversation == now_.conversation) return ++now_.matches, std::nullopt;
    return Take(std::exchange(now_, Counted{event.conversation, 1}));
  }
  std::optional<Counted> Finish() { return Take(std::exchange(now_, {})); }

 private:
  static std::optional<Counted> Take(Counted counted) {
    return counted.matches > 0 ? std::optional(std::move(counted)) : std::nullopt;
  }
  Counted now_;
};

class TextReport : public SearchReport {
 public:
  TextReport(Output& out, Shape shape, bool context) : out_(out), shape_(shape), context_(context) {}

  void Add(const FoundEvent& event) override {
    if (shape_ != Shape::kEvents) return Print(counter_.Add(event));
    const bool new_group = event.gap || event.conversation != conversation_;
    if (context_ && new_group && !conversation_.empty()) out_.Write(out_.Paint(Style::kDim, "--") + "\n");
    conversation_ = event.conversation;
    for (const FoundLine& line : event.lines) Line(event, line);
    if (event.lines.empty()) Line(event, {});
  }
  void Add(const Damage&) override {}
  void Finish(const SearchTotals& totals) override {
    Print(counter_.Finish());
    if (shape_ == Shape::kCounts && totals.matches > 0) out_.Write(Counted(totals.matches, "event") + "\n");
  }

 private:
  void Print(const std::optional<Counter::Counted>& counted) {
    if (!counted) return;
    const std::string conversation = out_.Paint(Style::kMagenta, Printable(counted->conversation));
    out_.Write(shape_ == Shape::kCounts ? fmt::format("{}: {}\n", conversation, counted->matches)
                                        : conversation + "\n");
  }

  void Line(const FoundEvent& event, const FoundLine& line) {
    const std::string_view sign = event.match ? ":" : "-";
    const std::string where = fmt::format("{}{}{}", Printable(event.conversation), sign,
                                          event.seq.value == 0 ? "+" : std::to_string(event.seq.value));
    std::string what = fmt::format("turn {}", event.turn.value);
    if (event.time) what += fmt::format("  {} {}", DateOf(*event.time), ClockOf(*event.time));
    what += fmt::format("  {}", ToString(event.kind));
    if (!event.tool.empty()) what += fmt::format(" {}", Printable(event.tool));
    const std::size_t used = DisplayWidth(where) + DisplayWidth(what) + 2 * sign.size() + 2;
    if (line.text.empty()) {
      return out_.Write(
          fmt::format("{}{} {}\n", out_.Paint(Style::kMagenta, where), sign, out_.Paint(Style::kDim, what)));
    }
    out_.Write(fmt::format("{}{} {}{} {}\n", out_.Paint(Style::kMagenta, where), sign, out_.Paint(Style::kDim, what),
                           sign, Highlighted(line, used)));
  }

  // The line with its matches in colour. On a terminal it is cut around the first match to the columns that `used`
  // leaves, or goes on a line of its own if those are few.
  std::string Highlighted(const FoundLine& line, std::size_t used) const {
    constexpr std::size_t kLittle = 40;
    std::string_view text = line.text;
    std::size_t columns = SIZE_MAX;
    if (out_.columns()) columns = *out_.columns() > used + kLittle ? *out_.columns() - used : *out_.columns() - 2;
    const bool below = out_.columns() && columns == *out_.columns() - 2;
    std::size_t begin = 0;
    if (columns != SIZE_MAX && !line.matches.empty() && DisplayWidth(Printable(text)) > columns) {
      begin = BeginOfExcerpt(text, line.matches.front(), columns);
    }
    return (below ? "\n  " : "") + Painted(line, begin, columns);
  }

  // Puts the match after a quarter of the columns; begins at a whole character.
  static std::size_t BeginOfExcerpt(std::string_view text, const MatchSpan& match, std::size_t columns) {
    const std::size_t before = columns / 4;
    const std::size_t begin = Prefix(text, match.begin - std::min(before, match.begin)).size();
    return match.begin <= before ? 0 : begin;
  }

  std::string Painted(const FoundLine& line, std::size_t begin, std::size_t columns) const {
    const std::string_view text = line.text;
    std::string result = begin > 0 ? "\xe2\x80\xa6" : "";
    std::size_t room = columns - (begin > 0 ? 1 : 0), at = begin;
    const auto put = [&](std::size_t end, std::optional<Style> style) {
      if (end <= at || room == 0) return;
      const std::string piece = CutToWidth(Printable(text.substr(at, end - at)), room);
      room -= std::min(room, DisplayWidth(piece));
      result += style ? out_.Paint(*style, piece) : piece;
      at = end;
    };
    for (const MatchSpan& match : line.matches) {
      put(match.begin, {});
      put(match.end, Style::kRed);
    }
    put(text.size(), {});
    return result;
  }

  Output& out_;
  const Shape shape_;
  Counter counter_;
  const bool context_;
  std::string conversation_;  // of the previous event
};

class JsonReport : public SearchReport {
 public:
  JsonReport(Output& out, Shape shape) : json_(out), shape_(shape) {
    json_.Array(shape == Shape::kEvents ? "events" : "conversations");
  }

  void Add(const FoundEvent& event) override {
    if (shape_ != Shape::kEvents) return Print(counter_.Add(event));
    json_.Object();
    json_.Field("conversation", event.conversation);
    if (event.seq.value > 0) json_.Field("seq", event.seq);
    json_.Field("turn", event.turn);
    json_.Field("timestamp", event.time);
    json_.Field("kind", ToString(event.kind));
    if (!event.tool.empty()) json_.Field("tool", event.tool);
    json_.Field("match", event.match);
    json_.Array("lines");
    for (const FoundLine& line : event.lines) Add(line);
    json_.EndArray();
    json_.EndObject();
  }
  void Add(const Damage& damage) override { damage_.push_back(damage); }
  void Finish(const SearchTotals& totals) override {
    Print(counter_.Finish());
    json_.EndArray();
    json_.Field("matches", totals.matches);
    json_.Object("searched");
    json_.Field("conversations", totals.conversations);
    json_.Field("events", totals.events);
    json_.Field("bytes", totals.bytes);
    json_.EndObject();
    AddDamage(json_, damage_);
  }

 private:
  void Add(const FoundLine& line) {
    json_.Object();
    json_.Field("field", line.field);
    json_.Field("text", line.text);
    json_.Array("matches");
    for (const MatchSpan& match : line.matches) {
      json_.Object();
      json_.Field("begin", std::uint64_t{match.begin});
      json_.Field("end", std::uint64_t{match.end});
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
  }

  void Print(const std::optional<Counter::Counted>& counted) {
    if (!counted) return;
    json_.Object();
    json_.Field("id", counted->conversation);
    if (shape_ == Shape::kCounts) json_.Field("matches", counted->matches);
    json_.EndObject();
  }

  JsonDocument json_;
  const Shape shape_;
  Counter counter_;
  std::vector<Damage> damage_;
};

}  // namespace

std::unique_ptr<SearchReport> SearchReportAsText(Output& out, SearchReport::Shape shape, bool context) {
  return std::make_unique<TextReport>(out, shape, context);
}
std::unique_ptr<SearchReport> SearchReportAsJson(Output& out, SearchReport::Shape shape) {
  return std::make_unique<JsonReport>(out, shape);
}

}  // namespace turnlog
