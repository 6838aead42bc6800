// Hand-made records of Codex, one or more of each kind.
#pragma once

#include <string>
#include <string_view>

namespace turnlog {

inline constexpr std::string_view kCodexThread = "019fc8be-3658-7ca3-9e29-0123456789ab";
inline const std::string kCodexFile = "rollout-2026-08-01T10-00-00-" + std::string(kCodexThread) + ".jsonl";

inline std::string CodexRecord(std::string_view type, std::string_view payload, std::string_view second = "00") {
  return std::string(R"({"timestamp":"2026-08-01T10:00:)")
      .append(second)
      .append(R"(.000Z","type":")")
      .append(type)
      .append(R"(","payload":)")
      .append(payload)
      .append("}");
}

inline std::string CodexMeta(std::string_view id, std::string_view second = "00") {
  return CodexRecord("session_meta", std::string(R"({"id":")").append(id).append(R"(","cwd":"/x"})"), second);
}

inline std::string CodexItem(std::string_view payload, std::string_view second = "00") {
  return CodexRecord("response_item", payload, second);
}

inline std::string CodexUser(std::string_view text, std::string_view second = "00") {
  return CodexItem(std::string(R"({"type":"message","role":"user","content":[{"type":"input_text","text":")")
                       .append(text)
                       .append(R"("}]})"),
                   second);
}

inline std::string CodexAssistant(std::string_view text) {
  return CodexItem(std::string(R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":")")
                       .append(text)
                       .append(R"("}]})"));
}

inline std::string CodexTyped(std::string_view text) {
  return CodexRecord("event_msg", std::string(R"({"type":"user_message","message":")").append(text).append("\"}"));
}

inline std::string CodexCall(std::string_view id, std::string_view name, std::string_view arguments) {
  return CodexItem(std::string(R"({"type":"function_call","name":")")
                       .append(name)
                       .append(R"(","arguments":)")
                       .append(arguments)
                       .append(R"(,"call_id":")")
                       .append(id)
                       .append("\"}"));
}

inline std::string CodexOutput(std::string_view id, std::string_view output) {
  return CodexItem(std::string(R"({"type":"function_call_output","call_id":")")
                       .append(id)
                       .append(R"(","output":)")
                       .append(output)
                       .append("}"));
}

inline std::string CodexAsk(std::string_view id) {
  return CodexCall(id, "request_user_input",
                   R"("{\"questions\":[{\"id\":\"which\",\"header\":\"Pick\",\"question\":\"Which?\",\"options\":)"
                   R"([{\"label\":\"a\",\"description\":\"first\"},{\"label\":\"b\"}]}]}")");
}

inline std::string CodexCompleted(std::string_view item) {
  return CodexRecord("event_msg", std::string(R"({"type":"item_completed","item":)").append(item).append("}"));
}

inline std::string CodexAborted() {
  return CodexRecord("event_msg", R"({"type":"turn_aborted","reason":"interrupted"})");
}

// One of everything, as a file.
inline std::string CodexSample() {
  std::string text;
  for (const std::string& record : {
           CodexMeta(kCodexThread),
           CodexRecord("turn_context", R"({"model":"gpt-5","cwd":"/x"})"),
           CodexRecord("event_msg", R"({"type":"task_started"})"),
           CodexUser("<environment_context>\\n</environment_context>"),
           CodexItem(R"({"type":"message","role":"developer","content":[{"type":"input_text","text":"Be brief."}]})"),
           CodexUser("Fix it\\n\\u00e9"),
           CodexTyped("Fix it\\n\\u00e9"),
           CodexItem(R"({"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Hm."}],)"
                     R"("encrypted_content":"gAAAA=="})"),
           CodexItem(R"({"type":"reasoning","summary":[],"encrypted_content":"gAAAB=="})"),
           CodexRecord("event_msg", R"({"type":"agent_reasoning","text":"Hm."})"),
           CodexCall("c1", "exec_command", R"("{\"cmd\":\"ls\"}")"),
           CodexCall("c2", "exec_command", R"("{\"cmd\": \"rm\"}")"),
           CodexOutput("c1", R"("a.txt\u0000\n")"),
           CodexOutput("c2", R"("exec command rejected by user")"),
           CodexItem(R"({"type":"custom_tool_call","status":"completed","call_id":"c3","name":"apply_patch",)"
                     R"("input":"*** Begin"})"),
           CodexItem(
               R"({"type":"custom_tool_call_output","call_id":"c3","output":[{"type":"input_text","text":"ok"}]})"),
           CodexItem(R"({"type":"local_shell_call","call_id":"c4","action":{"type":"exec","command":["ls"]}})"),
           CodexOutput("c4", R"({"content":"x","success":true})"),
           CodexItem(R"({"type":"tool_search_call","call_id":"c5","arguments":{"query":"q"}})"),
           CodexItem(R"({"type":"tool_search_output","call_id":"c5","tools":[{"name":"t"}]})"),
           CodexItem(R"({"type":"web_search_call","status":"completed","action":{"query":"q"}})"),
           CodexAsk("c6"),
           CodexOutput("c6", R"("{\"answers\":{\"which\":{\"answers\":[\"a\"]}}}")"),
           CodexAssistant("Done."),
           CodexRecord("event_msg", R"({"type":"agent_message","message":"Done."})"),
           CodexRecord("event_msg", R"({"type":"token_count","info":null})"),
           CodexRecord("compacted", R"({"message":"The story so far.","replacement_history":[]})"),
           CodexAssistant("Going on."),
           CodexTyped("Not this"),
           CodexUser("Not this"),
           CodexRecord("event_msg", R"({"type":"turn_aborted","reason":"interrupted"})"),
           CodexRecord("event_msg", R"({"type":"thread_rolled_back","num_turns":1})"),
           CodexRecord("world_state", R"({"full":true})"),
           std::string(R"({"record_type":"state"})"),
           std::string(R"({"type":"message","role":"user","content":[{"type":"input_text","text":"bare"}]})"),
           CodexRecord("event_msg", R"({"type":"item_completed","item":{"type":"UserMessage","id":"i1",)"
                                    R"("content":[{"type":"text","text":"Plan it"}]}})"),
           CodexRecord("event_msg", R"({"type":"item_completed","item":{"type":"AgentMessage","id":"i2",)"
                                    R"("content":[{"type":"Text","text":"Planned."}],"phase":"final_answer"}})"),
           CodexRecord("event_msg", R"({"type":"item_completed","item":{"type":"Plan","id":"i3","text":"1. Go"}})"),
           CodexAssistant("Planned."),
       }) {
    text.append(record).append("\n");
  }
  return text;
}

}  // namespace turnlog
