// Events as rows. A result goes into the row of its call, an answer into the row of its question.
import {eventAt} from "./api.js";
import {h, replace} from "./dom.js";
import {eventBody, titleOf} from "./event_body.js";
import {links} from "./links.js";
import {outcomeText, byWhom} from "./outcome.js";
import {textBlock} from "./arguments.js";
import {clock, sizeOf, visible} from "./text.js";

function marksOf(line) {
  const marks = [];
  if (line.redacted) marks.push(h("span", {class: "mark redacted"}, "redacted"));
  if (line.inserted) marks.push(h("span", {class: "mark repair", title: line.rule}, "added by a repair"));
  else if (line.rule) marks.push(h("span", {class: "mark repair", title: line.rule}, "moved by a repair"));
  if (line.dropped) marks.push(h("span", {class: "mark repair"}, "dropped by a repair"));
  if (line.event.type === "erased") marks.push(h("span", {class: "mark redacted"}, "erased"));
  if (line.event.type === "damaged") marks.push(h("span", {class: "mark damage"}, "damaged"));
  return marks;
}

function sameJson(text, value) {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

// About exactly this call: a question that only looks like it is a question.
function isApproval({key, question}, call) {
  return key?.question === "approve" && question?.answer_type?.type === "boolean" && sameJson(question.context, call.arguments ?? {});
}

export class EventRows {
  constructor(id) {
    this.id = id;
    this.element = h("ol", {class: "events"});
    this.calls = [];      // rows of calls that are shown, in order: {event, cut, slot, status}
    this.questions = [];
  }

  append(lines) {
    for (const line of lines) {
      const row = this.rowFor(line);
      if (row) this.element.append(row);
    }
  }

  // Earlier ones: what they have been waiting for may be shown already, so that they get it from below.
  prepend(lines) {
    const [calls, questions] = [this.calls, this.questions];
    this.calls = [];
    this.questions = [];
    const rows = lines.map((line) => this.rowFor(line)).filter(Boolean);
    this.element.prepend(...rows);
    this.calls.push(...calls);
    this.questions.push(...questions);
  }

  rowFor(line) {
    const {event} = line;
    if (event.type === "tool_call_response") {
      const call = this.takeOpen(this.calls, event.id);
      if (call) return this.finish(call, line), null;
    }
    if (event.type === "inquiry_response") {
      const question = this.takeOpen(this.questions, event.id);
      if (question) return this.answer(question, line), null;
    }
    return this.newRow(line);
  }

  // The nearest earlier one that is open, as the log pairs them.
  takeOpen(rows, id) {
    const index = rows.findLastIndex((row) => row.event.id === id && !row.closed);
    if (index < 0) return null;
    rows[index].closed = true;
    return rows[index];
  }

  newRow(line) {
    const {event} = line;
    const slot = h("div", {class: "slot"});
    const status = h("span", {class: "row-status"});
    const known = {event, cut: line.cut, slot, status};
    const body = this.whole(line, (shown) => eventBody(known.event = shown, slot));
    const row = h("li", {class: `event ${event.type}${line.dropped ? " dropped" : ""}${line.inserted ? " inserted" : ""}`,
      id: event.seq ? `e${event.seq}` : null, tabindex: -1},
      h("div", {class: "head"}, this.link(event), h("span", {class: "kind"}, titleOf(event)), marksOf(line), status,
        event.timestamp && h("time", {datetime: event.timestamp}, clock(event.timestamp))),
      body);
    known.row = row;
    if (event.type === "tool_call_request") this.calls.push(known);
    if (event.type === "inquiry_request") {
      this.questions.push(known);
      this.markApproval(known);
    }
    if (event.type === "turn_start") row.querySelector(".kind").textContent = `Turn ${line.turn}`;
    return row;
  }

  // What `show` makes of the event. Of a large one only a part has come: the rest comes if somebody asks for it.
  whole(line, show) {
    const body = show(line.event);
    if (!line.cut) return body;
    const button = h("button", {type: "button", class: "quiet more", onclick: async () => {
      button.disabled = true;
      try {
        const event = await eventAt(this.id, line.event.seq);
        const all = show(event ?? line.event);
        if (all?.localName === "details") all.open = true;
        replace(box, all);
        for (const each of box.querySelectorAll(".show-all")) each.click();  // nobody wants to ask twice
      } catch (error) {
        button.disabled = false;
        button.textContent = error.message;
      }
    }}, `Show all of it (${sizeOf(line.cut)})`);
    const box = h("div", null, body, button);
    return box;
  }

  // What was left out of a large event counts, too: it is loaded for that.
  async markApproval({event, cut, row}) {
    const call = this.calls.find((each) => each.event.id === event.key?.tool_call);
    if (!call || event.key.question !== "approve") return;
    const whole = (part, isCut) => (isCut ? eventAt(this.id, part.seq).catch(() => null) : part);
    const [question, asked] = cut || call.cut ? await Promise.all([whole(event, cut), whole(call.event, call.cut)]) : [event, call.event];
    if (!question || !asked || !isApproval(question, asked)) return;
    row.classList.add("approval");
    row.querySelector(".kind").textContent = "Permission";
  }

  link(event) {
    return event.seq
      ? h("a", {class: "seq", href: links.conversation(this.id, event.seq), title: "Link to this event"}, String(event.seq))
      : h("span", {class: "seq"}, "+");
  }

  finish({slot, status, row}, line) {
    const {event} = line;
    const denied = event.denied;
    replace(status, denied ? "denied" : event.is_error ? "error" : "done", " ", marksOf(line));
    row.classList.add(denied ? "denied" : event.is_error ? "failed" : "done");
    if (denied) row.append(h("p", {class: "denial"}, `Denied${byWhom(denied.responder)}`, denied.reason ? `: ${visible(denied.reason)}` : ""));
    replace(slot, this.anchor(event),
      h("div", {class: "result"}, h("span", {class: "kind"}, "Result "), this.link(event), marksOf(line),
        this.whole(line, (shown) => textBlock(shown.content ?? "", "code result-text", "Result"))));
  }

  answer({slot, status, row}, line) {
    const {event} = line;
    status.textContent = event.outcome;
    row.classList.add(event.outcome);
    replace(slot, this.anchor(event), h("p", {class: "outcome"}, outcomeText(event), " ", this.link(event), marksOf(line)));
  }

  // So that a link to the result finds it.
  anchor(event) {
    return event.seq && h("span", {id: `e${event.seq}`, tabindex: -1});
  }
}
