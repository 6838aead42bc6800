// What waits in all conversations.
import {conversation as service, send} from "./api.js";
import {BulkBar} from "./bulk_bar.js";
import {announce, h, replace} from "./dom.js";
import {InquiryCard} from "./inquiry_card.js";
import {links} from "./links.js";
import {inquiriesOf, keyOf, subscribe} from "./live.js";
import {may} from "./rights.js";
import {wakeButton} from "./snooze.js";
import {age, clock, excerpt, plural} from "./text.js";

// A conversation that waits for nothing, on two lines.
function row(entry, group) {
  const seen = () => service.attend(entry.conversation, {seen: entry.last}).catch((problem) => announce(problem.message));
  const words = group === "failed" ? entry.error ?? entry.said : group === "finished" ? entry.said : null;
  return h("li", {class: `row ${group}`},
    h("a", {class: "name", href: links.conversation(entry.conversation)}, excerpt(entry.conversation, 80)),
    h("span", {class: "asked"}, entry.asked ? excerpt(entry.asked, 160) : ""),
    words && h("span", {class: "said"}, excerpt(words, 200)),
    h("time", {datetime: entry.last_time, title: entry.last_time && clock(entry.last_time)}, entry.last_time ? age(entry.last_time) : ""),
    group === "running" ? h("span", {class: "activity"}, entry.activity === "running_tools" ? "tools" : "model")
      : may("answer") && h("button", {type: "button", class: "quiet", "data-action": "seen", onclick: seen}, "Seen"));
}

function section(title, hint, ...content) {
  return h("section", {"aria-label": title}, h("h2", null, title, hint && h("small", null, hint)), content);
}

export function overviewView(root) {
  const cards = new Map();  // by key, in the order in which they are shown
  const cardList = h("div", {class: "cards"});
  const sleepers = h("ul", {class: "rows"});
  const lists = Object.fromEntries(["failed", "finished", "running"].map((group) => [group, h("ul", {class: "rows"})]));
  const bulk = new BulkBar(() => [...cards.values()]);
  cardList.addEventListener("select", () => bulk.update());

  const drop = (card) => {
    cards.delete(card.key);
    card.element.remove();
    bulk.update();
  };

  // Cards that are there stay as they are: someone may be typing into them.
  function showCards(overview) {
    const waiting = inquiriesOf(overview).filter(({entry}) => !entry.snoozed_until);
    const keys = new Set(waiting.map(({entry, inquiry}) => keyOf(entry.conversation, inquiry.id)));
    for (const {entry, inquiry} of waiting) {
      const key = keyOf(entry.conversation, inquiry.id);
      const old = cards.get(key);
      if (old && !(old.closed && old.inquiry.seq !== inquiry.seq)) continue;
      if (old) drop(old);
      const card = new InquiryCard(entry, inquiry, {onClosed: drop});
      cards.set(key, card);
      cardList.append(card.element);
    }
    const snoozed = new Set(overview.blocked.filter((entry) => entry.snoozed_until).map((entry) => entry.conversation));
    for (const card of [...cards.values()]) {
      if (keys.has(card.key) || card.closed || card.busy) continue;
      if (snoozed.has(card.entry.conversation)) drop(card);
      else card.close(false);
    }
    bulk.update();
    return waiting.map(({inquiry}) => inquiry);
  }

  const counts = h("div", {class: "counts", role: "status"});
  const sections = {
    blocked: section("Waiting for you", "oldest first", cardList),
    snoozed: section("Snoozed", null, sleepers),
    failed: section("Failed or stopped", "an error, or no event for 10 minutes (2 hours beside hooks)", lists.failed),
    finished: section("Finished, not seen", null, lists.finished,
      may("answer") && h("button", {type: "button", class: "quiet", onclick: () => send("POST", "v1/seen").catch((problem) => announce(problem.message))}, "Mark all as seen")),
    running: section("Running", null, lists.running),
  };
  const empty = h("p", {class: "empty"}, "Nothing waits for you.");
  replace(root, h("h1", {class: "visually-hidden"}, "Overview"), counts, empty, Object.values(sections));

  function show({overview}) {
    if (!overview) return;
    const waiting = showCards(overview);
    for (const [group, list] of Object.entries(lists)) {
      replace(list, overview[group].map((entry) => row(entry, group)));
      sections[group].hidden = overview[group].length === 0;
    }
    const sleeping = overview.blocked.filter((entry) => entry.snoozed_until);
    replace(sleepers, sleeping.map((entry) => h("li", {class: "row"},
      h("a", {class: "name", href: links.conversation(entry.conversation)}, excerpt(entry.conversation, 80)),
      h("span", {class: "asked"}, `until ${clock(entry.snoozed_until)}`), may("answer") && wakeButton(entry))));
    sections.snoozed.hidden = sleeping.length === 0;
    sections.blocked.hidden = cards.size === 0;
    empty.hidden = cards.size > 0 || ["failed", "finished", "running"].some((group) => overview[group].length > 0);
    const permissions = waiting.filter((inquiry) => inquiry.approval).length;
    counts.textContent = [plural(waiting.length - permissions, "question"), plural(permissions, "permission"), `${overview.failed.length} failed or stopped`,
      `${overview.finished.length} finished`, `${overview.running.length} running`].join(" \u00b7 ");
  }

  const stop = subscribe(show);
  const timer = setInterval(() => cards.forEach((card) => card.tick()), 10_000);
  return () => {
    stop();
    clearInterval(timer);
    bulk.hide();
  };
}
