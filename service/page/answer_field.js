// The part of a form in which an answer is given: one for each type of answer. Each gives {element, value, focus}:
// `value()` is the answer, or undefined if nothing has been given.
import {h, uniqueId} from "./dom.js";
import {schemaField} from "./schema_field.js";
import {oneLine, visible} from "./text.js";

const same = (left, right) => JSON.stringify(left) === JSON.stringify(right);

function choice(type, name, text, {description, preview, checked}) {
  const input = h("input", {type, name, value: text, checked});
  const label = h("label", {class: "choice"}, input,
    h("span", null, visible(text), description && h("small", null, visible(description)),
      typeof preview === "string" && h("pre", {class: "preview"}, visible(preview))));
  return {input, label};
}

// A choice of its own with a text beside it.
function otherChoice(type, name, initial) {
  const text = h("input", {type: "text", name: `${name}-other`, value: initial ?? "", "aria-label": "Other answer"});
  const input = h("input", {type, name, value: "\u0000other", checked: initial !== undefined});
  text.addEventListener("input", () => { input.checked = text.value !== ""; });
  return {input, text, label: h("div", {class: "choice"}, h("label", null, input, "Other"), text)};
}

function booleanField(question, name) {
  const yes = choice("radio", name, "Yes", {checked: question.default === true});
  const no = choice("radio", name, "No", {checked: question.default === false});
  return {
    element: h("div", {class: "choices inline"}, yes.label, no.label),
    value: () => (yes.input.checked ? true : no.input.checked ? false : undefined),
    focus: () => (question.default === false ? no : yes).input.focus(),
    choose: (answer) => { (answer ? yes : no).input.click(); },
  };
}

// What is chosen at first. A default that cannot be an answer is none.
function initialOf({default: initial}, many) {
  if (many) return Array.isArray(initial) ? initial : [];
  return initial === undefined ? [] : [initial];
}

function selectField(question, name, many) {
  const {options = [], other} = question.answer_type;
  const type = many ? "checkbox" : "radio";
  const initial = initialOf(question, many);
  const choices = options.map((option) => ({
    ...choice(type, name, oneLine(option.value), {...option, checked: initial.some((each) => same(each, option.value))}),
    value: option.value,
  }));
  const unlisted = initial.find((each) => !options.some((option) => same(each, option.value)));
  const free = other ? otherChoice(type, name, typeof unlisted === "string" ? unlisted : undefined) : null;
  const values = () => {
    const chosen = choices.filter((each) => each.input.checked).map((each) => each.value);
    return free?.input.checked && free.text.value !== "" ? [...chosen, free.text.value] : chosen;
  };
  return {
    element: h("div", {class: "choices"}, choices.map((each) => each.label), free?.label),
    value: () => (many ? values() : values()[0]),
    focus: () => (choices[0]?.input ?? free?.text)?.focus(),
  };
}

function textField(question, name) {
  const area = h("textarea", {name, rows: 3, "aria-label": "Answer"});
  area.value = typeof question.default === "string" ? question.default : "";
  return {element: area, value: () => area.value, focus: () => area.focus()};
}

function secretField(name) {
  const input = h("input", {type: "password", name, autocomplete: "off", "aria-label": "Secret", spellcheck: "false"});
  return {
    element: h("div", null, input,
      h("p", {class: "hint"}, "Goes to the waiting agent through memory alone. The log says only that it was given.")),
    value: () => (input.value === "" ? undefined : input.value),
    focus: () => input.focus(),
    clear: () => { input.value = ""; },
  };
}

export function answerField(question) {
  const name = uniqueId("answer");
  switch (question.answer_type.type) {
    case "boolean": return booleanField(question, name);
    case "select": return selectField(question, name, false);
    case "multi_select": return selectField(question, name, true);
    case "secret": return secretField(name);
    case "schema": return schemaField(question.answer_type.schema ?? {}, question.default);
    default: return textField(question, name);
  }
}
