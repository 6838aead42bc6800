// One conversation: its events, and what waits in it.
import {conversation as service} from "./api.js";
import {byId, h, replace} from "./dom.js";
import {InquiryCard} from "./inquiry_card.js";
import {links} from "./links.js";
import {entryOf, keyOf, live, subscribe} from "./live.js";
import {may} from "./rights.js";
import {Timeline} from "./timeline.js";
import {visible} from "./text.js";

const ACTIVITIES = {idle: "idle", calling_model: "the model's turn", running_tools: "running tools", awaiting_user: "waiting for you"};

export function conversationView(root, {conversation: id, seq, inquiry}) {
  const cards = new Map();
  const timeline = new Timeline(id);
  const activity = h("span", {class: "activity"});
  const waiting = h("div", {class: "cards", "aria-label": "Waiting"});
  const problem = h("p", {class: "status error"});
  let closed = false;
  replace(root,
    h("header", {class: "view-head"}, h("h1", null, visible(id)), activity,
      h("a", {href: links.search("")}, "Search")),
    problem, timeline.element, waiting);

  function showCards(entry) {
    const open = new Set((entry?.inquiries ?? []).map((each) => keyOf(id, each.id)));
    for (const each of entry?.inquiries ?? []) {
      const key = keyOf(id, each.id);
      if (cards.has(key)) continue;
      const card = new InquiryCard(entry, each, {onClosed: (old) => { cards.delete(old.key); old.element.remove(); }});
      cards.set(key, card);
      waiting.append(card.element);
    }
    for (const card of cards.values()) {
      if (!open.has(card.key) && !card.busy) card.close(false);
    }
  }

  // Who looks at the end of what is over has seen it.
  function markSeen(entry) {
    const over = entry && (entry.group === "finished" || entry.group === "failed");
    if (over && may("answer") && timeline.atEnd && document.visibilityState === "visible" && document.hasFocus()) {
      service.attend(id, {seen: entry.last}).catch(() => {});
    }
  }

  async function show({overview}) {
    if (!overview || closed) return;
    const entry = entryOf(overview, id);
    activity.textContent = entry ? ACTIVITIES[entry.activity] ?? entry.activity : "";
    showCards(entry);
    if (entry && timeline.last) {
      await timeline.follow(entry.last);
      markSeen(entry);
    }
  }

  function reveal(target) {
    const element = byId(`e${target}`);
    if (!element) return;
    element.closest("details")?.setAttribute("open", "");
    const row = element.closest("li") ?? element;
    row.classList.add("target");
    row.scrollIntoView({block: "center"});
    row.focus({preventScroll: true});
  }

  async function open() {
    let target = seq;
    if (inquiry) {
      const attempts = await service.attempts(id, inquiry);
      target = attempts.at(-1)?.request;
      if (!target) throw new Error("There is no such question.");
    }
    await timeline.open(target);
    const card = inquiry && cards.get(keyOf(id, inquiry));
    if (card) {
      card.element.scrollIntoView({block: "center"});
      card.focus();
    } else if (target) {
      reveal(target);
    } else {
      window.scrollTo(0, document.body.scrollHeight);
    }
  }

  const unsubscribe = subscribe(show);
  open().then(() => show(live)).catch((error) => { problem.textContent = error.message; });
  return () => {
    closed = true;
    unsubscribe();
  };
}
