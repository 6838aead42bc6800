// What an event says, by its type.
import {argumentsBlock, argumentsLine, textBlock} from "./arguments.js";
import {h} from "./dom.js";
import {byWhom, outcomeText} from "./outcome.js";
import {excerpt, oneLine, pretty, visible} from "./text.js";

const TITLES = {
  turn_start: "Turn", chat_request: "User", chat_response: "Model", tool_call_request: "Tool call", tool_call_response: "Result",
  inquiry_request: "Question", inquiry_response: "Answer", config_delta: "Configuration", compaction: "Compaction", repair: "Repair",
  redaction: "Redaction", permission: "Permission", erased: "Erased event", damaged: "Damaged event",
};

export function titleOf(event) {
  if (event.type === "chat_request" && event.author) return visible(event.author);
  if (event.type === "chat_response" && event.reasoning !== undefined) return "Reasoning";
  return TITLES[event.type] ?? visible(String(event.type));
}

const prose = (text) => textBlock(text, "prose");

const folded = (summary, ...content) => h("details", null, h("summary", null, summary), content);

function json(event) {
  const {conversation, seq, type, timestamp, ...rest} = event;
  return folded(excerpt(oneLine(rest), 120), textBlock(pretty(rest)));
}

function chatResponse(event) {
  if (event.message !== undefined) return prose(event.message);
  if (event.reasoning !== undefined) return folded(excerpt(event.reasoning, 120), prose(event.reasoning));
  return folded("Data", textBlock(pretty(event.structured_data ?? event.data)));
}

function call(event, slot) {
  const {name, arguments: values = {}} = event;
  return folded([h("strong", {class: "mono"}, visible(name)), " ", h("span", {class: "mono brief"}, excerpt(argumentsLine(values), 140))],
    argumentsBlock(values), slot);
}

function question(event, slot) {
  const {question: asked} = event;
  const options = asked.answer_type?.options ?? [];
  return h("div", null,
    asked.rejected && h("p", {class: "rejected"}, `${visible(asked.rejected.model ?? "The assistant")} said no: ${visible(asked.rejected.reason ?? "")}`),
    prose(asked.text),
    asked.context && folded("Context", textBlock(asked.context)),
    options.length > 0 && h("p", {class: "options"}, "Options: ", options.map((option) => visible(oneLine(option.value))).join(", ")),
    slot);
}

function repair(event) {
  const items = event.items ?? [];
  return folded(`${visible(event.profile ?? "")}: ${items.length} changes${event.undoes?.length ? ", undoes earlier ones" : ""}`,
    textBlock(pretty(event)));
}

function redaction(event) {
  const rules = (event.rules ?? []).map((each) => `${visible(each.rule)}: ${each.events}`).join(", ");
  return h("p", null, `${event.events} events by ${visible(event.by ?? "")}${rules ? ` (${rules})` : ""}`);
}

function permission(event) {
  return h("p", null, `${event.decision === "deny" ? "Denied" : "Allowed"} for the turn: `, h("strong", {class: "mono"}, visible(String(event.tool ?? ""))),
    event.arguments_hash ? ", with the same arguments" : ", all calls", byWhom(event.responder));
}

// `slot`: where what came of it will be shown.
export function eventBody(event, slot) {
  switch (event.type) {
    case "turn_start": return null;
    case "chat_request": return prose(event.content ?? "");
    case "chat_response": return chatResponse(event);
    case "tool_call_request": return call(event, slot);
    case "tool_call_response": return textBlock(event.content ?? "");
    case "inquiry_request": return question(event, slot);
    case "inquiry_response": return h("p", {class: "outcome"}, outcomeText(event));
    case "repair": return repair(event);
    case "redaction": return redaction(event);
    case "permission": return permission(event);
    case "erased": return null;
    case "damaged": return h("p", null, visible(event.damage ?? ""));
    default: return json(event);
  }
}

