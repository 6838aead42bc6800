#include "service/job_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "base/base64.h"
#include "base/try.h"
#include "remote/object_reader.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_scan.h"
#include "service/body_fields.h"

namespace turnlog {
namespace {

// The elements of an array, as JSON.
Status ForEach(std::string_view name, std::string_view json, const std::function<Status(std::string_view)>& take) {
  if (!json.starts_with('[')) return WrongBody(fmt::format("{} must be an array", name));
  JsonElements elements(json);
  while (elements.Next().value_or(false)) TURNLOG_TRY(take(elements.value()));
  return {};
}

Status ForEachText(std::string_view name, std::string_view json, const std::function<Status(std::string&)>& take) {
  return ForEach(name, json, [&](std::string_view element) -> Status {
    std::string text = TURNLOG_TRY(TextField(name, element));
    return take(text);
  });
}

Status Conversations(std::string_view name, std::string_view json, JobBody& body) {
  return ForEachText(name, json, [&](std::string& text) -> Status {
    body.conversations.push_back(TURNLOG_TRY(ConversationId::Parse(text)));
    return {};
  });
}

// Each is an id, or an object that also has a turn or a conversation.
Result<InquiryToRedact> InquiryOf(std::string_view name, std::string_view json) {
  if (!json.starts_with('{')) return InquiryToRedact{TURNLOG_TRY(TextField(name, json)), {}, {}};
  const ObjectReader object = TURNLOG_TRY(ObjectReader::Parse(json));
  InquiryToRedact inquiry{object.Text("id"), {}, {}};
  if (const auto turn = object.FindNumber("turn")) inquiry.turn = Turn{*turn};
  if (const auto conversation = object.FindText("conversation")) {
    inquiry.conversation = TURNLOG_TRY(ConversationId::Parse(*conversation));
  }
  if (!object.ok()) return WrongBody(fmt::format("{} must be ids or objects with an id", name));
  return inquiry;
}

Status Inquiries(std::string_view name, std::string_view json, JobBody& body) {
  return ForEach(name, json, [&](std::string_view element) -> Status {
    body.inquiries.push_back(TURNLOG_TRY(InquiryOf(name, element)));
    return {};
  });
}

Status Accepted(std::string_view name, std::string_view json, JobBody& body) {
  return ForEach(name, json, [&](std::string_view element) -> Status {
    const auto object = ObjectReader::Parse(element);
    if (object) {
      body.accepted.push_back({object->Text("rule"), object->Text("conversation"), {object->Number("seq")}});
    }
    return object && object->ok()
               ? Status()
               : WrongBody(fmt::format("{} must be objects with a rule, a conversation and a seq", name));
  });
}

Status Rules(std::string_view name, std::string_view json, JobBody& body) {
  const auto object = ObjectReader::Parse(json);
  if (object) {
    body.rules_file = object->Text("file");
    body.rules_text = object->Text("text");
  }
  return object && object->ok() ? Status() : WrongBody(fmt::format("{} must have a file's name and its text", name));
}

Status Values(std::string_view name, std::string_view json, JobBody& body) {
  return ForEachText(name, json, [&](std::string& text) -> Status {
    body.values.emplace_back(text);
    Wipe(text);
    return {};
  });
}

// The same for values that may be any bytes.
Status EncodedValues(std::string_view name, std::string_view json, JobBody& body) {
  return ForEachText(name, json, [&](std::string& text) -> Status {
    auto value = DecodeBase64(text);
    Wipe(text);
    if (!value) return WrongBody(fmt::format("{} must be base64", name));
    body.values.emplace_back(*value);
    Wipe(*value);
    return {};
  });
}

Status Profile(std::string_view name, std::string_view json, JobBody& body) {
  body.profile = TURNLOG_TRY(TextField(name, json));
  return body.profile == "strict" || body.profile == "jp082" ? Status() : WrongBody("profile must be strict or jp082");
}

Status By(std::string_view name, std::string_view json, JobBody& body) {
  body.by = TURNLOG_TRY(TextField(name, json));
  return {};
}

// A field of the body, and the kinds of jobs that have it.
struct JobField {
  std::string_view name;
  std::array<std::string_view, 3> kinds;
  Status (*read)(std::string_view name, std::string_view json, JobBody& body);
};

template <bool JobBody::* member>
Status ReadFlag(std::string_view name, std::string_view json, JobBody& body) {
  body.*member = TURNLOG_TRY(FlagField(name, json));
  return {};
}

constexpr std::array<std::string_view, 6> kKinds{"sanitize", "scavenge", "redact", "verify", "stats", "reindex"};
constexpr std::array kFields{
    JobField{"conversations", {"sanitize", "scavenge"}, Conversations},
    JobField{"profile", {"sanitize"}, Profile},
    JobField{"close_open", {"sanitize"}, ReadFlag<&JobBody::close_open>},
    JobField{"all", {"sanitize", "redact"}, ReadFlag<&JobBody::all>},
    JobField{"dry_run", {"sanitize", "scavenge", "redact"}, ReadFlag<&JobBody::dry_run>},
    JobField{"secrets", {"redact"}, ReadFlag<&JobBody::secrets>},
    JobField{"detect", {"redact"}, ReadFlag<&JobBody::detect>},
    JobField{"inquiries", {"redact"}, Inquiries},
    JobField{"values", {"redact"}, Values},
    JobField{"values_base64", {"redact"}, EncodedValues},
    JobField{"accepted", {"redact"}, Accepted},
    JobField{"rules", {"redact"}, Rules},
    JobField{"report", {"scavenge", "redact"}, ReadFlag<&JobBody::report>},
    JobField{"by", {"redact"}, By},
};

Status Check(const JobBody& body) {
  if (body.close_open && body.profile != "strict") return WrongBody("close_open needs the profile strict");
  if (body.all && !body.conversations.empty()) return WrongBody("give conversations or all, not both");
  const bool anything = body.secrets || body.detect || !body.inquiries.empty() || !body.values.empty();
  if (body.kind == "redact" && !anything)
    return WrongBody("nothing to redact: give secrets, detect, inquiries or values");
  return {};
}

Result<std::string> KindOf(std::string_view json, std::size_t begin) {
  JsonFields fields(json, begin);
  while (fields.Next().value_or(false)) {
    if (!fields.KeyIs("kind")) continue;
    std::string kind = TURNLOG_TRY(TextField("kind", fields.value()));
    if (std::ranges::find(kKinds, kind) != kKinds.end()) return kind;
  }
  return WrongBody("kind must be sanitize, scavenge, redact, verify, stats or reindex");
}

}  // namespace

Result<JobBody> ReadJobBody(std::string_view json) {
  if (const auto fault = FindJsonFault(json)) return WrongBody(fmt::format("byte {}: {}", fault->byte, fault->what));
  const std::size_t begin = SkipJsonSpace(json, 0);
  if (json[begin] != '{') return WrongBody("must be a JSON object");
  JobBody body;
  body.kind = TURNLOG_TRY(KindOf(json, begin));
  JsonFields fields(json, begin);
  while (fields.Next().value_or(false)) {
    if (fields.KeyIs("kind")) continue;
    const auto field = std::ranges::find_if(kFields, [&](const JobField& each) {
      return fields.KeyIs(each.name) && std::ranges::find(each.kinds, body.kind) != each.kinds.end();
    });
    if (field == kFields.end()) return WrongBody(fmt::format("a field is unknown for the kind {}", body.kind));
    TURNLOG_TRY(field->read(field->name, fields.value(), body));
  }
  TURNLOG_TRY(Check(body));
  return body;
}

}  // namespace turnlog
