// Finds text in all conversations.
import {get} from "./api.js";
import {h, replace} from "./dom.js";
import {links} from "./links.js";
import {clock, excerpt, plural, visible} from "./text.js";

const found = (line) => h("p", {class: "found mono"}, h("small", null, visible(line.field), " "),
  line.parts.map((part, index) => (index % 2 === 1 ? h("mark", null, visible(part)) : visible(part))));

function result(event) {
  return h("li", {class: "row result"},
    h("a", {class: "name", href: links.conversation(event.conversation, event.seq)}, excerpt(event.conversation, 80)),
    h("span", {class: "kind"}, `${event.kind.replaceAll("_", " ")}${event.tool ? ` ${visible(event.tool)}` : ""}`),
    h("time", null, event.timestamp ? clock(event.timestamp) : ""), event.lines.map(found));
}

export function searchView(root, {text}) {
  const input = h("input", {type: "search", name: "text", value: text, "aria-label": "Text to find", placeholder: "Text in any conversation"});
  const regex = h("input", {type: "checkbox", name: "regex"});
  const exact = h("input", {type: "checkbox", name: "exact"});
  const status = h("p", {class: "status", role: "status"});
  const list = h("ul", {class: "rows"});
  let last = 0;

  async function run() {
    const number = ++last;
    replace(list);
    if (input.value === "") return;
    status.textContent = "Searching\u2026";
    try {
      const answer = await get("v1/search", {text: input.value, regex: regex.checked, ignore_case: !exact.checked});
      if (number !== last) return;
      replace(list, answer.events.map(result));
      status.textContent = `${plural(answer.events.length, "event")}${answer.more ? ", and more" : ""} of ${answer.searched_events.toLocaleString()}`
        + (answer.damaged ? `; ${answer.damaged} damaged` : "");
    } catch (problem) {
      if (number === last) status.textContent = visible(problem.message);
    }
  }

  const form = h("form", {class: "search", role: "search", onsubmit: (event) => {
    event.preventDefault();
    history.replaceState(null, "", links.search(input.value));
    run();
  }}, input, h("button", {type: "submit", class: "primary"}, "Search"),
  h("label", null, regex, "Regular expression"), h("label", null, exact, "Match case"));
  replace(root, h("h1", null, "Search"), form, status, list);
  input.focus();
  run();
}
