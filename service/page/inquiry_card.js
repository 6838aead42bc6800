// One thing that waits for a person: a question, or a permission. The two look different, and which it is says the
// service, not the text: a question that asks for permission is still a question.
import {conversation, eventAt} from "./api.js";
import {approvalBody} from "./approval_card.js";
import {announce, h, replace, uniqueId} from "./dom.js";
import {dropDraft, hasDraft} from "./drafts.js";
import {links} from "./links.js";
import {keyOf} from "./live.js";
import {outcomeOf} from "./outcome.js";
import {questionBody} from "./question_card.js";
import {may} from "./rights.js";
import {snoozeMenu} from "./snooze.js";
import {age, clock, excerpt, visible} from "./text.js";

function askerText(source) {
  switch (source?.source) {
    case "tool": return `tool ${visible(source.name ?? "")}`;
    case "assistant": return "the assistant";
    case "user": return "a user";
    default: return visible(source?.name ?? "someone");
  }
}

function header(entry, inquiry, request, titleId) {
  const approval = inquiry.approval;
  return h("header", null,
    h("span", {class: "badge", id: badgeOf(titleId)}, approval ? "Permission" : "Question"),
    h("h3", {id: titleId}, h("a", {href: links.conversation(entry.conversation, inquiry.seq)}, excerpt(entry.conversation, 80))),
    h("span", {class: "asker"}, approval ? `${visible(entry.agent ?? "the agent")} wants to run a tool` : `asked by ${askerText(request.source)}`),
    h("time", {datetime: inquiry.timestamp, title: clock(inquiry.timestamp)}, inquiry.timestamp ? age(inquiry.timestamp) : ""),
    may("answer") && snoozeMenu(entry),
    h("a", {class: "permalink", href: links.inquiry(entry.conversation, inquiry.id), title: "Link to this question",
      "aria-label": "Link to this question"}, "#"));
}

// Part of the card's name: who hears the page knows by it what is asked for.
const badgeOf = (titleId) => `${titleId}-badge`;

// A card, for as long as the question waits and after: {key, element, inquiry, close, tick, approve}.
export class InquiryCard {
  constructor(entry, inquiry, {onClosed} = {}) {
    this.entry = entry;
    this.inquiry = inquiry;
    this.key = keyOf(entry.conversation, inquiry.id);
    this.closed = false;
    this.busy = false;
    this.onClosed = onClosed ?? (() => {});
    this.titleId = uniqueId("card");
    this.element = h("article", {
      class: `card ${inquiry.approval ? "approval" : "question"}`, tabindex: -1, "aria-labelledby": `${badgeOf(this.titleId)} ${this.titleId}`});
    this.element.card = this;
    this.fill();
  }

  // Large events are not in the overview. What cannot be loaded or shown says so: nothing that waits is left blank.
  async fill() {
    const {conversation: id} = this.entry;
    const {seq, call_seq: callSeq} = this.inquiry;
    try {
      this.request = this.inquiry.request ?? await eventAt(id, seq);
      this.call = this.inquiry.call ?? (callSeq ? await eventAt(id, callSeq) : null);
      if (this.request && !this.closed) this.show();
    } catch (problem) {
      if (!this.closed) this.showProblem(problem);
    }
  }

  show() {
    this.body = this.inquiry.approval ? approvalBody(this) : questionBody(this);
    this.status = h("p", {class: "status", role: "status", "aria-live": "polite"});
    replace(this.element, header(this.entry, this.inquiry, this.request, this.titleId), this.asked(), this.body.element, this.status);
  }

  showProblem(problem) {
    this.body = null;
    replace(this.element, header(this.entry, this.inquiry, this.request ?? {}, this.titleId), this.asked(),
      h("p", {class: "status error", role: "status"}, `This cannot be shown: ${visible(problem.message)}`),
      h("button", {type: "button", onclick: () => this.fill()}, "Try again"));
  }

  asked() {
    return this.entry.asked && h("p", {class: "asked"}, "Task: ", excerpt(this.entry.asked, 200));
  }

  tick() {
    const time = this.element.querySelector("time");
    if (time && this.inquiry.timestamp) time.textContent = age(this.inquiry.timestamp);
  }

  focus() {
    if (this.body && !this.closed) this.body.focus();
    else this.element.focus();
  }

  // --- Answering ---

  // `texts`: fields whose values are JSON already.
  respond(body, texts) {
    return this.act(() => conversation.respond(this.entry.conversation, {inquiry: this.inquiry.id, ...body}, texts));
  }

  cancel(body) {
    return this.act(() => conversation.cancel(this.entry.conversation, {inquiry: this.inquiry.id, ...body}));
  }

  async act(request) {
    if (this.busy || this.closed) return;
    this.setBusy(true);
    this.say("Sending\u2026");
    try {
      await request();
      await this.close(true);
    } catch (problem) {
      if (problem.code === "conflict" || problem.code === "not found") await this.whenRefused(problem);
      else this.say(problem.message, true);
    } finally {
      this.setBusy(false);
    }
  }

  // Someone was faster, or it cannot be answered now: the question itself says which.
  async whenRefused(problem) {
    const attempts = await conversation.attempts(this.entry.conversation, this.inquiry.id).catch(() => []);
    if (attempts.at(-1)?.pending) this.say(problem.message, true);
    else await this.close(false);
  }

  setBusy(busy) {
    this.busy = busy;
    this.element.classList.toggle("busy", busy);
    for (const button of this.element.querySelectorAll("button")) button.disabled = busy;
  }

  say(text, isError = false) {
    this.status.textContent = visible(text);
    this.status.classList.toggle("error", isError);
  }

  // --- When it no longer waits ---

  // Whether someone has begun to answer it here.
  get touched() {
    return hasDraft(this.key) || this.busy || this.element.contains(document.activeElement);
  }

  // `here`: answered on this page. The card stays, so that nothing moves below the pointer.
  async close(here) {
    if (this.closed) return;
    this.closed = true;
    dropDraft(this.key);
    const outcome = await outcomeOf(this.entry.conversation, this.inquiry.id).catch(() => "");
    const text = here ? outcome || "Answered" : outcome ? `Answered elsewhere: ${outcome}` : "No longer waiting";
    this.element.classList.add("closed");
    replace(this.element,
      h("header", null, h("span", {class: "badge", id: badgeOf(this.titleId)}, here ? "Done" : "Closed"),
        h("h3", {id: this.titleId}, h("a", {href: links.conversation(this.entry.conversation, this.inquiry.seq)},
          excerpt(this.entry.conversation, 80)))),
      h("p", {class: "status"}, text),
      h("button", {type: "button", class: "quiet", onclick: () => this.onClosed(this)}, "Dismiss"));
    announce(text);
  }
}
