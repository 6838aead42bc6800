// Hand-made records of Claude Code, one or more of each kind.
#pragma once

#include <string>
#include <string_view>

namespace turnlog {

inline constexpr std::string_view kClaudeSession = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";

// A record without its line break: `fields` after those that all records have.
inline std::string ClaudeRecord(std::string_view uuid, std::string_view fields) {
  return std::string(R"({"parentUuid":null,"isSidechain":false,"sessionId":")")
      .append(kClaudeSession)
      .append(R"(","uuid":")")
      .append(uuid)
      .append(R"(","timestamp":"2026-08-01T10:00:00.123Z",)")
      .append(fields)
      .append("}");
}

inline std::string ClaudeUser(std::string_view uuid, std::string_view content, std::string_view more = {}) {
  return ClaudeRecord(
      uuid,
      std::string(R"("type":"user","message":{"role":"user","content":)").append(content).append("}").append(more));
}

inline std::string ClaudeAssistant(std::string_view uuid, std::string_view blocks) {
  return ClaudeRecord(
      uuid, std::string(R"("type":"assistant","message":{"id":"msg_1","model":"opus","role":"assistant","content":[)")
                .append(blocks)
                .append(R"(],"usage":{"output_tokens":7}},"requestId":"req_1")"));
}

inline std::string ClaudeResult(std::string_view uuid, std::string_view call, std::string_view content,
                                std::string_view more = {}) {
  return ClaudeUser(uuid,
                    std::string(R"([{"tool_use_id":")")
                        .append(call)
                        .append(R"(","type":"tool_result","content":)")
                        .append(content)
                        .append("}]"),
                    more);
}

inline std::string ClaudeDenied(std::string_view uuid, std::string_view call, std::string_view text) {
  return ClaudeUser(uuid, std::string(R"([{"type":"tool_result","content":")")
                              .append(text)
                              .append(R"(","is_error":true,"tool_use_id":")")
                              .append(call)
                              .append(R"("}])"));
}

inline std::string ClaudeCall(std::string_view id, std::string_view name = "Bash",
                              std::string_view input = R"({"command":"ls"})") {
  return std::string(R"({"type":"tool_use","id":")")
      .append(id)
      .append(R"(","name":")")
      .append(name)
      .append(R"(","input":)")
      .append(input)
      .append("}");
}

inline std::string ClaudeAsk(std::string_view id, bool multi = false) {
  return ClaudeCall(id, "AskUserQuestion",
                    std::string(R"({"questions":[{"question":"Which \"one\"?","header":"Pick","multiSelect":)")
                        .append(multi ? "true" : "false")
                        .append(R"(,"options":[{"label":"a","description":"first"},{"label":"b"}]},)"
                                R"({"question":"Why?","header":"Why","multiSelect":false,"options":)"
                                R"([{"label":"c"},{"label":"d"}]}]})"));
}

// A record of a subagent between those of its session.
inline std::string ClaudeSide(std::string_view uuid, std::string_view parent, std::string_view fields) {
  return std::string(R"({"parentUuid":)")
      .append(parent.empty() ? "null" : "\"" + std::string(parent) + "\"")
      .append(R"(,"isSidechain":true,"sessionId":")")
      .append(kClaudeSession)
      .append(R"(","uuid":")")
      .append(uuid)
      .append(R"(","timestamp":"2026-08-01T10:00:01Z",)")
      .append(fields)
      .append("}");
}

// The text that stands in a result for an output that has a file of its own.
inline constexpr std::string_view kClaudePersisted =
    R"("<persisted-output>\nOutput too large (51.2KB). Full output saved to: /home/x/.claude/projects/p/s/tool-results/o1.txt\n\nPreview:\na")";

// One of everything, as a file.
inline std::string ClaudeSample() {
  std::string text;
  for (const std::string& record : {
           std::string(R"({"type":"summary","summary":"A title","leafUuid":"elsewhere"})"),
           ClaudeRecord("s1", R"("type":"system","subtype":"local_command","content":"x")"),
           ClaudeUser("u0", R"("<command-name>/clear</command-name>")"),
           ClaudeUser("u1", R"("Fix it\n\u00e9 \ud83d\ude00")"),
           ClaudeAssistant("a1", R"({"type":"thinking","thinking":"Hm.","signature":"EqQBCg=="})"),
           ClaudeAssistant("a2", R"({"type":"redacted_thinking","data":"opaque=="})"),
           ClaudeAssistant("a3", R"({"type":"text","text":"Looking."},)" + ClaudeCall("t1") + "," +
                                     ClaudeCall("t2", "Read", R"({"file": "a\/b", "n": 1.50})")),
           ClaudeResult("r1", "t1", R"("a.txt\n")", R"(,"toolUseResult":{"stdout":"a.txt\n"})"),
           ClaudeResult("r2", "t2", R"([{"type":"text","text":"one"},{"type":"image","source":{"data":"aGk="}}])"),
           ClaudeAssistant("a4", R"({"type":"server_tool_use","id":"srv1","name":"web_search","input":{"query":"q"}},)"
                                 R"({"type":"web_search_tool_result","tool_use_id":"srv1","content":[{"url":"u"}]},)"
                                 R"({"type":"novelty","x":1},)" +
                                     ClaudeAsk("t3")),
           ClaudeResult("r3", "t3", R"("Your questions have been answered: \"Which \"one\"?\"=\"a\"")",
                        R"(,"toolUseResult":{"answers":{"Which \"one\"?":"a","Why?":"free text"}})"),
           ClaudeAssistant("a5", ClaudeCall("t4", "Task", R"({"prompt":"go"})")),
           ClaudeResult("r4", "t4", R"([{"type":"text","text":"done"}])", R"(,"toolUseResult":{"agentId":"abc"})"),
           ClaudeAssistant("a6", ClaudeCall("t5")),
           ClaudeDenied("r5", "t5",
                        "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you "
                        "how to proceed, the user said:\\nuse another"),
           ClaudeUser("u2", R"([{"type":"text","text":"[Request interrupted by user for tool use]"}])"),
           ClaudeRecord("q1", R"("type":"attachment","attachment":{"type":"queued_command","prompt":"and this"})"),
           ClaudeRecord("c1", R"("type":"system","subtype":"compact_boundary","compactMetadata":{"preTokens":9})"),
           ClaudeUser("u3", R"("The story so far.")", R"(,"isCompactSummary":true)"),
           ClaudeAssistant("a7", R"({"type":"text","text":"Going on."})"),
           ClaudeUser("u4", R"([{"type":"text","text":"Two"},{"type":"text","text":"parts"}])"),
           ClaudeAssistant("a8", ClaudeCall("t7")),
           ClaudeResult("r7", "t7", kClaudePersisted),
           ClaudeUser("k1", R"("copied")", R"(,"forkedFrom":{"sessionId":"other","messageUuid":"k0"})"),
           std::string(R"({"type":"later-kind","sessionId":"x","big":12345678901234567890123,"deep":[[[]]]})"),
       }) {
    text.append(record).append("\n");
  }
  return text;
}

// The same of an older version, with the records of a subagent between those of the session.
inline std::string ClaudeSampleWithSidechain() {
  std::string text = ClaudeSample();
  for (const std::string& record :
       {ClaudeAssistant("a9", ClaudeCall("t6", "Task", R"({"prompt":"look around"})")),
        ClaudeSide("x1", "", R"("type":"user","message":{"role":"user","content":"look around"})"),
        ClaudeSide("x2", "x1", R"("type":"assistant","message":{"content":[{"type":"text","text":"Seen."}]})"),
        ClaudeResult("r6", "t6", R"("Seen.")")}) {
    text.append(record).append("\n");
  }
  return text;
}

}  // namespace turnlog
