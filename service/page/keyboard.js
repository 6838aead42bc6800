// Keys for the whole page. None of them decides anything: those of a permission move to its buttons.
import {byId, h} from "./dom.js";
import {links} from "./links.js";

const KEYS = [
  ["j, k", "next, previous item"], ["Enter", "into the item, or on a link: open it"], ["a", "permission: to \u201cAllow once\u201d"],
  ["t", "permission: to \u201cAllow for the turn\u201d"], ["d", "permission: to the reason for denying it"], ["x", "permission: select"],
  ["y, n", "question: choose yes, no"], ["Ctrl+Enter", "send the answer"], ["o", "open the conversation"], ["e", "mark as seen"],
  ["g", "overview"], ["/", "search"], ["?", "these keys"],
];

const items = () => [...document.querySelectorAll(".card, .row, li.event")].filter((each) => each.offsetParent !== null);

function move(step) {
  const all = items();
  const now = all.findIndex((each) => each.contains(document.activeElement));
  const next = all[now < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(now + step, 0), all.length - 1)];
  if (!next) return;
  if (next.tabIndex < 0 && !next.hasAttribute("tabindex")) next.tabIndex = -1;
  next.focus();
  next.scrollIntoView({block: "nearest"});
}

const focusedItem = () => document.activeElement?.closest?.(".card, .row, li.event");
const inItem = (selector) => focusedItem()?.querySelector(selector);

function toggle(input) {
  if (!input) return;
  input.checked = !input.checked;
  input.dispatchEvent(new Event("change", {bubbles: true}));
}

const ACTIONS = {
  j: () => move(1),
  k: () => move(-1),
  a: () => inItem("[data-action=allow]")?.focus(),
  t: () => inItem("[data-action=turn]")?.focus(),
  d: () => inItem("input.reason")?.focus(),
  x: () => toggle(inItem("input.select")),
  y: () => focusedItem()?.card?.body?.choose?.(true),
  n: () => focusedItem()?.card?.body?.choose?.(false),
  o: () => inItem("h3 a, a.name, a.seq")?.click(),
  e: () => inItem("[data-action=seen]")?.click(),
  g: () => { location.hash = links.overview(); },
  "/": () => { location.hash = links.search(""); },
  "?": () => showKeys(),
  Enter: () => {
    const item = document.activeElement;
    if (item?.card) item.card.focus();
    else inItem("a.name, summary")?.click();
  },
};

export function showKeys() {
  const dialog = h("dialog", {class: "keys", "aria-label": "Keys", onclose: () => dialog.remove()},
    h("h2", null, "Keys"), h("dl", null, KEYS.map(([key, what]) => [h("dt", null, key), h("dd", null, what)])),
    h("form", {method: "dialog"}, h("button", {class: "primary"}, "Close")));
  document.body.append(dialog);
  dialog.showModal();
}

const types = (element) => element?.matches?.("input:not([type=checkbox]):not([type=radio]), textarea, select");

export function listen() {
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && types(event.target)) return event.target.closest(".card, .row")?.focus();
    if (event.ctrlKey || event.metaKey || event.altKey || types(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    // Enter on a control is the control's own.
    if (event.key === "Enter" && !event.target.matches(".card, .row, li.event")) return;
    const action = ACTIONS[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  byId("keys").addEventListener("click", showKeys);
}
