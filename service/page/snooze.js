// Putting a conversation off: until then it does not count as waiting, unless something new happens in it.
import {conversation} from "./api.js";
import {announce, h} from "./dom.js";

const hours = (count) => new Date(Date.now() + count * 3600_000);
const TIMES = [
  ["1 hour", () => hours(1)],
  ["4 hours", () => hours(4)],
  ["until tomorrow, 8:00", () => new Date(new Date().setHours(32, 0, 0, 0))],
];

const until = (entry, time) => conversation.attend(entry.conversation, {snoozed_until: time?.toISOString() ?? null})
  .catch((problem) => announce(problem.message));

export function snoozeMenu(entry) {
  return h("select", {"aria-label": "Snooze", class: "snooze", onchange: (event) => {
    const [, time] = TIMES[Number(event.target.value)];
    until(entry, time());
  }}, h("option", {value: ""}, "Snooze\u2026"), TIMES.map(([name], index) => h("option", {value: String(index)}, name)));
}

export const wakeButton = (entry) =>
  h("button", {type: "button", class: "quiet", onclick: () => until(entry, null)}, "Wake up");
