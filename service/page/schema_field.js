// A small form for a JSON schema: what is simple gets fields, the rest is typed as JSON. The service checks the answer.
import {h, uniqueId} from "./dom.js";
import {oneLine, pretty, visible} from "./text.js";

const DEPTH = 2;  // of objects in objects

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

const captionOf = (schema, key) => visible(typeof schema?.title === "string" ? schema.title : key ?? "Answer");

function described(schema, control, caption, required) {
  return h("label", {class: "field"}, h("span", null, caption, required && h("b", {title: "required"}, " *")),
    schema.description && h("small", null, visible(String(schema.description))), control);
}

function jsonField(schema, initial, caption, required) {
  const area = h("textarea", {name: uniqueId("json"), rows: 4, spellcheck: "false", class: "mono", placeholder: "JSON"});
  if (initial !== undefined) area.value = pretty(initial);
  return {
    element: described(schema, area, `${caption} (JSON)`, required),
    value: () => (area.value.trim() === "" ? undefined : JSON.parse(area.value)),
    focus: () => area.focus(),
  };
}

function enumField(schema, initial, caption, required) {
  const select = h("select", {name: uniqueId("enum")}, h("option", {value: ""}, ""),
    schema.enum.map((each, index) => h("option", {
      value: String(index), selected: JSON.stringify(each) === JSON.stringify(initial)}, visible(oneLine(each)))));
  return {
    element: described(schema, select, caption, required),
    value: () => (select.value === "" ? undefined : schema.enum[Number(select.value)]),
    focus: () => select.focus(),
  };
}

function inputField(schema, initial, caption, required, type, parse) {
  const input = h("input", {type, name: uniqueId("field"), step: type === "number" ? "any" : null});
  if (initial !== undefined) input.value = String(initial);
  return {
    element: described(schema, input, caption, required),
    value: () => (input.value === "" && (!required || type === "number") ? undefined : parse(input.value)),
    focus: () => input.focus(),
  };
}

function flagField(schema, initial, caption, required) {
  return enumField({...schema, enum: [true, false]}, initial, caption, required);
}

function objectField(schema, initial, caption, depth) {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const fields = Object.entries(schema.properties).map(([key, each]) => [
    key, fieldFor(each, isObject(initial) && Object.hasOwn(initial, key) ? initial[key] : undefined, captionOf(each, key), required.has(key), depth - 1)]);
  return {
    element: h("fieldset", null, h("legend", null, caption),
      schema.description && h("small", null, visible(String(schema.description))), fields.map(([, field]) => field.element)),
    value: () => {
      const given = fields.map(([key, field]) => [key, field.value()]).filter(([, value]) => value !== undefined);
      return Object.fromEntries(given);
    },
    focus: () => fields[0]?.[1].focus(),
  };
}

function fieldFor(schema, initial, caption, required, depth) {
  const start = initial === undefined ? schema?.default : initial;
  if (!isObject(schema)) return jsonField({}, start, caption, required);
  if (Array.isArray(schema.enum)) return enumField(schema, start, caption, required);
  switch (schema.type) {
    case "string": return inputField(schema, start, caption, required, "text", String);
    case "integer":
    case "number": return inputField(schema, start, caption, required, "number", Number);
    case "boolean": return flagField(schema, start, caption, required);
    case "object":
      if (depth > 0 && isObject(schema.properties)) return objectField(schema, start, caption, depth);
  }
  return jsonField(schema, start, caption, required);
}

export const schemaField = (schema, initial) => fieldFor(schema, initial, captionOf(schema), true, DEPTH);
