// A form in which the arguments of a call are changed before it runs.
import {h} from "./dom.js";
import {indentJson} from "./text.js";

function problemOf(text) {
  try {
    const value = JSON.parse(text);
    return value && typeof value === "object" && !Array.isArray(value) ? "" : "The arguments must be a JSON object";
  } catch (error) {
    return `This is not valid JSON: ${error.message}`;
  }
}

// {toggle, element}: the button that opens the form, and the form. `submit` gets the text of a JSON object, `say` what is
// wrong with one that is none.
export function argumentEditor(exact, {submit, say}) {
  const area = h("textarea", {class: "mono", name: "arguments", rows: 8, spellcheck: "false", "aria-label": "Arguments"});
  const toggle = h("button", {type: "button", class: "quiet", "data-action": "edit", "aria-expanded": "false",
    onclick: () => show(element.hidden)}, "Edit\u2026");
  const element = h("div", {class: "argument-editor", hidden: true}, area,
    h("p", {class: "hint"}, "The call runs with these arguments. Both versions are on record."),
    h("div", {class: "edit-actions"},
      h("button", {type: "button", class: "primary", "data-action": "run-edited", onclick: send}, "Run with these arguments"),
      h("button", {type: "button", class: "quiet", onclick: () => show(false)}, "Discard")));

  function show(open) {
    element.hidden = !open;
    toggle.setAttribute("aria-expanded", String(open));
    if (!open) return toggle.focus();
    area.value = indentJson(exact);
    area.focus();
  }

  function send() {
    const problem = problemOf(area.value);
    if (problem) say(problem, true);
    else submit(area.value);
  }

  return {toggle, element};
}
