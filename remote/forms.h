// The JSON documents between client and service, written and read. Readers give kIo for what they do not understand.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/log.h"

namespace turnlog {

class JsonWriter;

// All but the figures of its engine.
void WriteStats(const StoreStats& stats, JsonWriter& json);

// GET /v1/store.
struct StoreForm {
  StoreStats stats;
  Capabilities capabilities;
  std::vector<std::string> notes;
  std::string instance;           // of the running service: another one after a restart
  bool combines_appends = false;  // appends of one request share a sync; false: send each by itself
  bool streams_appends = false;   // through its Unix socket (append_message.h)
};
std::string ToJson(const StoreForm& store);
Result<StoreForm> ReadStore(std::string_view json);

std::string ToJson(const ConversationInfo& info);
Result<ConversationInfo> ReadInfo(std::string_view json);
// {"conversations":[...]}
std::string ToJson(const std::vector<ConversationInfo>& infos);
Result<std::vector<ConversationInfo>> ReadInfos(std::string_view json);

// {"conversation","events":[{"seq","repeated","redacted"}]}, as `logctl append --json`.
std::string ToJson(const ConversationId& conversation, const AppendResult& result);
Result<AppendResult> ReadAppendResult(std::string_view json);

// {"attempts":[{"turn","request","response","pending"}]}
std::string ToJson(const std::vector<InquiryRecord>& attempts);
Result<std::vector<InquiryRecord>> ReadAttempts(std::string_view json);

// {"pending":[{"conversation","turn","seq"}]}; more fields are ignored.
Result<std::vector<PendingInquiry>> ReadPending(std::string_view json);

// {"repairs":[{"seq","from","to"}]}
std::string ToJson(const std::vector<RepairRange>& repairs);
Result<std::vector<RepairRange>> ReadRepairs(std::string_view json);

// {"head","state"}: the state, which may be any bytes, as base64.
std::string ToJson(const Watermark& watermark);
Result<Watermark> ReadWatermark(std::string_view json);

std::string ToJson(const EraseReport& report);
Result<EraseReport> ReadEraseReport(std::string_view json);
std::string ToJson(const RedactReport& report);
Result<RedactReport> ReadRedactReport(std::string_view json);

// {"position"}
std::string ToJson(const Position& position);
Result<Position> ReadPosition(std::string_view json);

}  // namespace turnlog
