#include "logctl/redact_report.h"

#include <fmt/format.h>

#include <span>

#include "logctl/json_document.h"
#include "logctl/report_fields.h"
#include "logctl/secret_report.h"
#include "logctl/text.h"

namespace turnlog {
namespace {

// --- JSON ---

void AddConversations(JsonDocument& json, std::span<const RedactedConversation> conversations) {
  json.Array("conversations");
  for (const RedactedConversation& conversation : conversations) {
    json.Object();
    json.Field("id", conversation.id);
    json.Array("events");
    for (const RedactedEvent& event : conversation.events) {
      json.Object();
      json.Field("seq", event.seq);
      json.Array("rules");
      for (const std::string& rule : event.rules) json.Element(rule);
      json.EndArray();
      json.EndObject();
    }
    json.EndArray();
    json.Array("redactions");
    for (const Seq seq : conversation.redactions) json.RawElement(std::to_string(seq.value));
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
}

void AddLocations(JsonDocument& json, std::string_view key, std::span<const ValueLocation> locations) {
  json.Array(key);
  for (const ValueLocation& location : locations) {
    json.Object();
    if (!location.file.empty()) json.Field("file", location.file);
    if (!location.file.empty() && location.field.empty()) json.Field("offset", location.offset);
    if (!location.conversation.empty()) json.Field("conversation", location.conversation);
    if (location.seq.value > 0) json.Field("seq", location.seq);
    if (!location.field.empty()) json.Field("field", location.field);
    json.EndObject();
  }
  json.EndArray();
}

void AddUnsearched(JsonDocument& json, const RedactionPlan& plan) {
  json.Array("unsearched");
  for (const UnsearchedValue& value : plan.unsearched) {
    json.Object();
    if (value.conversation.empty()) {
      json.Field("value", std::uint64_t{value.index + 1});
    } else {
      json.Field("conversation", value.conversation);
      json.Field("seq", value.seq);
    }
    json.Field("rule", value.rule);
    json.Field("reason", value.reason);
    json.EndObject();
  }
  json.EndArray();
}

void AddCopies(JsonDocument& json, std::span<const KeptCopy> copies) {
  json.Array("kept_copies");
  for (const KeptCopy& copy : copies) {
    json.Object();
    json.Field("place", copy.place);
    json.Field("end", copy.end);
    json.EndObject();
  }
  json.EndArray();
}

void AddProof(JsonDocument& json, const RedactionProof& proof) {
  json.Object("proof");
  json.Field("clean", proof.clean());
  json.Field("time", proof.time);
  json.Field("store_id", proof.store_id);
  json.Array("rules");
  for (const std::string& rule : proof.rules) json.Element(rule);
  json.EndArray();
  json.Field("values", proof.values);
  json.Field("files", proof.files);
  json.Field("bytes", proof.bytes);
  json.Field("index_entries", proof.index_entries);
  json.Field("compressed_records", proof.compressed_records);
  json.Field("sources", proof.sources);
  json.Field("left_count", proof.left_count);
  AddLocations(json, "left", proof.left);
  json.Array("problems");
  for (const std::string& problem : proof.problems) json.Element(problem);
  json.EndArray();
  json.EndObject();
}

// --- Text ---

std::string SeqsOf(const std::vector<Seq>& seqs) {
  std::string text;
  for (const Seq seq : seqs) text += fmt::format("{}{}", text.empty() ? "event " : ", ", seq.value);
  return text;
}

void WriteConversations(Output& out, std::span<const RedactedConversation> conversations) {
  for (const RedactedConversation& conversation : conversations) {
    out.Write(fmt::format("{}  {}{}\n", out.Paint(Style::kBold, Printable(conversation.id)),
                          Counted(conversation.events.size(), "event"),
                          conversation.redactions.empty() ? "" : "  (" + SeqsOf(conversation.redactions) + ")"));
    for (const RedactedEvent& event : conversation.events) {
      out.Write(fmt::format("  {}  {}\n", PadRight(fmt::format("event {}", event.seq.value), 12),
                            fmt::join(event.rules, ", ")));
    }
  }
}

void WriteFound(Output& out, const RedactionPlan& plan, std::span<const RedactedConversation> conversations,
                RedactionDetail report) {
  if (report == RedactionDetail::kConversations) return WriteConversations(out, conversations);
  PrintSecrets(out, plan, report == RedactionDetail::kExplained);
}

std::uint64_t CountEvents(std::span<const RedactedConversation> conversations) {
  std::uint64_t events = 0;
  for (const RedactedConversation& conversation : conversations) events += conversation.events.size();
  return events;
}

std::string TextOf(const ValueLocation& location) {
  std::string text = Printable(location.file);
  if (!location.file.empty() && location.field.empty()) text += fmt::format(" byte {}", location.offset);
  if (!location.conversation.empty()) text += fmt::format("conversation \"{}\"", Printable(location.conversation));
  if (location.seq.value > 0) text += fmt::format(", event {}", location.seq.value);
  if (!location.field.empty()) text += ", " + Printable(location.field);
  return text;
}

void WriteProof(Output& out, const RedactionProof& proof) {
  if (proof.values == 0 && proof.clean()) {
    out.Write("proof     there is no value to search for\n");
    return;
  }
  const std::string records =
      proof.compressed_records == 0 ? std::string() : Counted(proof.compressed_records, "compressed record") + ", ";
  out.Write(fmt::format("proof     {}, {}, {}{} of the index read for {}\n", Counted(proof.files, "file"),
                        HumanSize(proof.bytes), records,
                        proof.index_entries == 1 ? "1 entry" : Thousands(proof.index_entries) + " entries",
                        Counted(proof.values, "value")));
  const auto line = [&](std::string_view name, const std::string& text) {
    out.Write(fmt::format("{}  {}\n", PadRight(std::string(name), 8), out.Paint(Style::kRed, text)));
  };
  for (const ValueLocation& location : proof.left) line("left", TextOf(location));
  if (proof.left_count > proof.left.size()) {
    line("", fmt::format("... and {} more", Thousands(proof.left_count - proof.left.size())));
  }
  for (const std::string& problem : proof.problems) line("unread", Printable(problem));
  if (proof.left_count > 0) {
    out.Write(out.Paint(Style::kRed, fmt::format("{} of the values left", Counted(proof.left_count, "occurrence"))) +
              "\n");
  } else if (proof.clean()) {
    out.Write(out.Paint(Style::kGreen, "no value is left") + "\n");
  } else {
    out.Write(out.Paint(Style::kRed, "no proof: some files could not be read") + "\n");
  }
}

void AddPlan(JsonDocument& json, const RedactionPlan& plan, const std::vector<RedactedConversation>& conversations,
             RedactionDetail report) {
  json.Field("values", plan.values);
  json.Field("events_read", plan.events_read);
  AddSecrets(json, plan, report == RedactionDetail::kExplained);
  AddConversations(json, conversations);
  AddLocations(json, "kept", plan.kept);
  AddLocations(json, "opaque", plan.opaque);
  AddUnsearched(json, plan);
  AddDamage(json, plan.damage);
}

}  // namespace

void WarnAbout(Messages& messages, const RedactionPlan& plan, std::span<const std::string> names) {
  constexpr std::size_t kShown = 20;
  const auto warn = [&](const auto& list, const auto& text_of) {
    for (std::size_t i = 0; i < list.size() && i < kShown; ++i) messages.Warn(text_of(list[i]));
    if (list.size() > kShown) messages.Warn(fmt::format("... and {} more; --json lists all", list.size() - kShown));
  };
  warn(plan.unsearched, [&](const UnsearchedValue& value) {
    return value.conversation.empty()
               ? fmt::format("{} was not searched: {}", names[value.index], value.reason)
               : fmt::format("conversation \"{}\", event {} ({}): other occurrences were not searched: {}",
                             value.conversation, value.seq.value, value.rule, value.reason);
  });
  warn(plan.kept, [](const ValueLocation& location) {
    return fmt::format("{}: holds a value and cannot be redacted", TextOf(location));
  });
  warn(plan.opaque, [](const ValueLocation& location) {
    return fmt::format("{}: a signature, id or hash contains a value and is removed, a signature with its block",
                       TextOf(location));
  });
  for (const Damage& damage : plan.damage) messages.Report(damage);
}

void PrintPlan(const Context& context, const RedactionPlan& plan, RedactionDetail report) {
  if (context.globals.json) {
    JsonDocument json(context.out);
    json.Field("dry_run", true);
    AddPlan(json, plan, plan.conversations, report);
    return;
  }
  WriteFound(context.out, plan, plan.conversations, report);
  context.out.Write(plan.conversations.empty() ? std::string("nothing to redact\n")
                                               : fmt::format("{} in {} would be redacted; nothing was written\n",
                                                             Counted(plan.events(), "event"),
                                                             Counted(plan.conversations.size(), "conversation")));
}

void PrintRedaction(const Context& context, const RedactionPlan& plan, const RedactionProof& proof,
                    std::span<const KeptCopy> copies, RedactionDetail report) {
  if (context.globals.json) {
    JsonDocument json(context.out);
    json.Field("dry_run", false);
    AddPlan(json, plan, proof.conversations, report);
    AddProof(json, proof);
    AddCopies(json, copies);
    return;
  }
  Output& out = context.out;
  WriteFound(out, plan, proof.conversations, report);
  out.Write(proof.conversations.empty()
                ? std::string("nothing to redact\n")
                : fmt::format("{} in {} redacted\n", Counted(CountEvents(proof.conversations), "event"),
                              Counted(proof.conversations.size(), "conversation")));
  WriteProof(out, proof);
}

}  // namespace turnlog
