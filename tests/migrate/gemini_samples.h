// Hand-made records of Gemini CLI, one or more of each kind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace turnlog {

inline constexpr std::string_view kGeminiSession = "5d3e8e0c-86a5-4f7e-9b4e-0123456789ab";

inline std::string GeminiHeader() {
  return std::string(R"({"sessionId":")")
      .append(kGeminiSession)
      .append(R"(","projectHash":"ab12","startTime":"2026-04-29T21:39:22.319Z","kind":"main"})");
}

// `fields`: after the type.
inline std::string GeminiMessage(std::string_view id, std::string_view type, std::string_view fields) {
  return std::string(R"({"id":")")
      .append(id)
      .append(R"(","timestamp":"2026-04-29T21:39:33.155Z","type":")")
      .append(type)
      .append("\",")
      .append(fields)
      .append("}");
}

inline std::string GeminiUser(std::string_view id, std::string_view text) {
  return GeminiMessage(id, "user", std::string(R"("content":[{"text":")").append(text).append("\"}]"));
}

inline std::string GeminiText(std::string_view id, std::string_view text) {
  return GeminiMessage(id, "gemini", std::string(R"("content":")").append(text).append("\""));
}

inline std::string GeminiCalls(std::string_view id, std::string_view calls) {
  return GeminiMessage(id, "gemini", std::string(R"("content":"","toolCalls":[)").append(calls).append("]"));
}

inline std::string GeminiToolCall(std::string_view id, std::string_view name, std::string_view status,
                                  std::string_view response, std::string_view arguments = R"({"a": 1})") {
  std::string call = R"({"id":")";
  call.append(id).append(R"(","name":")").append(name).append(R"(","args":)").append(arguments);
  if (!response.empty()) {
    call.append(R"(,"result":[{"functionResponse":{"id":"x","response":)").append(response).append("}}]");
  }
  return call.append(R"(,"status":")").append(status).append("\"}");
}

inline std::string GeminiAsk(std::string_view status, std::string_view response) {
  return GeminiToolCall("ask", "ask_user", status, response,
                        R"({"questions":[{"question":"Which?","header":"Pick","type":"choice",)"
                        R"("options":[{"label":"a","description":"first"},{"label":"b"}]},)"
                        R"({"question":"All of?","multiSelect":true,"options":[{"label":"c"},{"label":"d"}]},)"
                        R"({"question":"Why?","type":"text"}]})");
}

inline std::vector<std::string> GeminiMessages() {
  return {
      GeminiUser("u1", "Fix it \\u00e9"),
      GeminiMessage(
          "g1", "gemini",
          R"("content":"Looking.","model":"gemini-3","thoughts":[{"subject":"Plan","description":"Read it."},)"
          R"({"description":"Then fix it.","timestamp":"t"},7],"tokens":{"input":1},"toolCalls":[)" +
              GeminiToolCall("c1", "read_file", "success", R"({"output":"a\n\u0000"})") + "," +
              GeminiToolCall("c2", "shell", "error", R"({"error":"exit 1"})") + "," +
              GeminiToolCall("c3", "shell", "cancelled",
                             R"({"error":"[Operation Cancelled] Reason: not on Fridays"})") +
              "," + GeminiToolCall("c4", "shell", "success", R"({"files":["a"]})") + "," +
              GeminiToolCall("c5", "shell", "executing", "") + "," +
              R"({"name":"noid","args":{},"status":"success","thoughtSignature":"Cs4B"},{"odd":1}])"),
      GeminiCalls("g2",
                  GeminiAsk("success", R"({"output":"{\"answers\":{\"0\":\"b\",\"1\":\"c, d\",\"2\":\"mine\"}}"})")),
      GeminiCalls("g3", GeminiToolCall("w", "write_file", "awaiting_approval", "")),
      GeminiMessage("i1", "info", R"("content":"Request cancelled.")"),
      GeminiMessage("e1", "error", R"("content":"Quota.")"),
      GeminiMessage("w1", "warning", R"("content":"Careful.")"),
      GeminiMessage("m1", "model", R"("parts":[{"text":"Older."},{"inlineData":{"data":"AAAA"}}])"),
      GeminiMessage("x1", "novelty", R"("content":[1])"),
  };
}

// The JSON form, one of everything.
inline std::string GeminiDocument() {
  std::string text = GeminiHeader();
  text.back() = ',';
  text += "\n \"messages\": [";
  for (const std::string& message : GeminiMessages())
    text.append(text.ends_with('[') ? "\n  " : ",\n  ").append(message);
  return text + "\n ],\"summary\":\"s\"}\n";
}

// The form of JSON lines, one of everything.
inline std::string GeminiLines() {
  std::string text = GeminiHeader() + "\n";
  for (const std::string& message : GeminiMessages()) text.append(message).append("\n");
  for (const std::string& line : {
           std::string(R"({"$set":{"lastUpdated":"2026-04-29T21:39:33.156Z"}})"),
           GeminiCalls("g3", GeminiToolCall("w", "write_file", "success", R"({"output":"written"})")),
           GeminiText("g4", "Done."),
           GeminiText("g4", "Done."),
           GeminiUser("u2", "Not this"),
           std::string(R"({"$rewindTo":"u2"})"),
           std::string(R"({"$set":{"messages":[)") + GeminiUser("u3", "Kept") + "," + GeminiText("g4", "Done.") + "]}}",
           std::string(R"({"$set":{"messages":[]}})"),
           std::string(R"({"$rewindTo":"unknown"})"),
       }) {
    text.append(line).append("\n");
  }
  return text;
}

}  // namespace turnlog
