// May a call run? Shown is the call itself, from the log, and never what a question says about it.
import {argumentEditor} from "./argument_editor.js";
import {argumentsBlock, folderOf} from "./arguments.js";
import {h} from "./dom.js";
import {may} from "./rights.js";
import {visible} from "./text.js";

function valuesOf(exact) {
  try {
    const values = JSON.parse(exact);
    return values && typeof values === "object" && !Array.isArray(values) ? values : {value: values};
  } catch {
    return {};
  }
}

export function approvalBody(card) {
  const {request, call, entry} = card;
  const exact = request.question.context ?? "{}";
  const values = valuesOf(exact);
  const folder = folderOf(values) ?? folderOf(call?.metadata) ?? entry.folder;
  const tool = call?.name ?? request.source?.name ?? "";
  const reason = h("input", {type: "text", name: "reason", class: "reason", placeholder: "Reason, for the model", "aria-label": "Reason for denying"});
  const allow = (remember) => card.respond({answer: true, remember});
  const deny = () => card.respond({answer: false, note: reason.value || undefined});
  const once = h("button", {type: "button", class: "primary", "data-action": "allow", onclick: () => allow(false)}, "Allow once");
  const editor = argumentEditor(exact, {
    submit: (text) => card.respond({note: reason.value || undefined}, {arguments: text}),
    say: (text, isError) => card.say(text, isError),
  });
  const select = h("input", {type: "checkbox", class: "select", "aria-label": `Select ${visible(tool)}`,
    onchange: () => card.element.dispatchEvent(new CustomEvent("select", {bubbles: true}))});
  return {
    element: h("div", {class: "body"},
      h("div", {class: "tool"}, may("answer") && h("label", {class: "pick"}, select), h("strong", {class: "mono"}, visible(tool)),
        folder && h("span", {class: "folder mono", title: "Folder"}, visible(folder))),
      argumentsBlock(values, exact),
      may("answer") && h("form", {class: "actions", onsubmit: (event) => { event.preventDefault(); deny(); }},
        once,
        h("button", {type: "button", "data-action": "turn", onclick: () => allow(true),
          title: "The same call again, with the same arguments, runs without asking until the turn is over"}, "Allow this call for the turn"),
        editor.toggle,
        h("span", {class: "deny"}, reason, h("button", {type: "submit", class: "danger", "data-action": "deny"}, "Deny")),
        h("button", {type: "button", class: "quiet", onclick: () => card.cancel({})}, "End turn")),
      may("answer") && editor.element),
    focus: () => once.focus(),
    focusReason: () => reason.focus(),
    tool,
    selected: () => select.checked,
    setSelected: (value) => { select.checked = value; },
    allow,
    deny: (note) => card.respond({answer: false, note: note || undefined}),
  };
}
