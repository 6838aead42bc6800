// Elements, made without HTML: contents of conversations become text and nothing else.

// h("a", {class: "x", href: "#/", onclick: f}, "text", element, ...). Attributes that are null, undefined or false are
// left out; those that begin with "on" are listeners.
export function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key in element && key !== "list" && typeof value !== "string") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child);  // strings become text nodes
  }
}

export function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

export const byId = (id) => document.getElementById(id);

// Read out by screen readers.
export function announce(text) {
  byId("announce").textContent = text;
}

let lastId = 0;
export const uniqueId = (prefix) => `${prefix}-${++lastId}`;
