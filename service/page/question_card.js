// A question and the form that answers it.
import {answerField} from "./answer_field.js";
import {textBlock} from "./arguments.js";
import {h} from "./dom.js";
import {keepDraft} from "./drafts.js";
import {may} from "./rights.js";
import {visible} from "./text.js";

function progressOf(question) {
  const {question: number, of} = question.form ?? {};
  return of > 1 ? h("span", {class: "progress", title: `Question ${number} of ${of}`}, `[${number}/${of}]`) : null;
}

// A word or two before the question.
function topicOf({header}) {
  return typeof header === "string" ? h("span", {class: "topic"}, visible(header)) : null;
}

function rejectionOf(question) {
  const {rejected} = question;
  return rejected && h("p", {class: "rejected"}, `${visible(rejected.model ?? "The assistant")} said no: ${visible(rejected.reason ?? "")}`);
}

export function questionBody(card) {
  const {question} = card.request;
  const secret = question.answer_type.type === "secret";
  const field = answerField(question);
  const note = secret ? null : h("input", {type: "text", name: "note", placeholder: "Note beside the answer", "aria-label": "Note"});
  const canRemember = !secret && question.persistence !== "none" && !question.form;
  const remember = canRemember ? h("input", {type: "checkbox", name: "remember"}) : null;
  const isForm = question.form !== undefined && question.form !== null;

  const submit = (event) => {
    event.preventDefault();
    if (!may("answer")) return undefined;
    let answer;
    try {
      answer = field.value();
    } catch {
      return card.say("This is not valid JSON.", true);
    }
    if (answer === undefined) return card.say("Give an answer first.", true);
    field.clear?.();
    return card.respond({answer, note: note?.value || undefined, remember: remember?.checked || undefined});
  };

  const form = h("form", {onsubmit: submit, onkeydown: (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  }},
    h("fieldset", {class: "answer", disabled: !may("answer")},
      h("legend", {class: "text"}, progressOf(question), topicOf(question), visible(question.text)),
      field.element),
    may("answer") && h("div", {class: "extras"}, note, remember && h("label", null, remember, "Use for the rest of this turn")),
    may("answer") && h("div", {class: "actions"},
      h("button", {type: "submit", class: "primary"}, "Answer"),
      isForm && question.form.question > 1 && h("button", {type: "button", onclick: () => card.cancel({reason: "back"})}, "Back"),
      isForm && h("button", {type: "button", onclick: () => card.cancel({reason: "reply"})}, "Write a message instead"),
      h("button", {type: "button", onclick: () => card.cancel({decline: true}), title: "The agent goes on without an answer"}, "Decline"),
      h("button", {type: "button", class: "quiet", onclick: () => card.cancel({}), title: "The agent stops"}, "End turn")));
  keepDraft(form, card.key);

  return {
    element: h("div", {class: "body"}, rejectionOf(question), question.context && textBlock(question.context, "context", "Context"), form),
    focus: field.focus,
    choose: field.choose,
  };
}
