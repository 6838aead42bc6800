// All conversations, by id.
import {get} from "./api.js";
import {h, replace} from "./dom.js";
import {links} from "./links.js";
import {clock, excerpt, plural, visible} from "./text.js";

const PAGE = 200;

const row = (info) => h("li", {class: "row"},
  h("a", {class: "name", href: links.conversation(info.id)}, excerpt(info.id, 120)),
  h("span", {class: "kind"}, `${plural(info.turns, "turn")}, ${plural(info.last, "event")}`),
  h("time", null, info.last_time ? clock(info.last_time) : ""));

export function allView(root) {
  const list = h("ul", {class: "rows"});
  const status = h("p", {class: "status", role: "status"});
  let after = "";
  const more = h("button", {type: "button", class: "quiet more", onclick: load}, "More");

  async function load() {
    try {
      const {conversations} = await get("v1/conversations", {after, limit: PAGE});
      list.append(...conversations.map(row));
      after = conversations.at(-1)?.id ?? after;
      more.hidden = conversations.length < PAGE;
      status.textContent = list.children.length === 0 ? "The store is empty." : "";
    } catch (problem) {
      status.textContent = visible(problem.message);
    }
  }

  replace(root, h("h1", null, "Conversations"), status, list, more);
  load();
}
