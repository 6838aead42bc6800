// The arguments of a tool call as people check them: a command as it would be typed, a change as a diff, the rest as a
// table, and always the exact JSON.
import {h} from "./dom.js";
import {oneLine, pretty, visible} from "./text.js";

const FOLDERS = ["cwd", "workdir", "working_directory", "folder", "directory"];
const COMMANDS = ["command", "cmd", "script", "code"];
const FILES = ["file_path", "path", "file", "notebook_path", "filename"];
const LONG = 4000;  // characters that are shown at once

// Words that a shell would take apart are quoted.
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

const isText = (value) => typeof value === "string";

function commandOf(values) {
  for (const key of COMMANDS) {
    const value = values[key];
    if (isText(value)) return {keys: [key], text: value};
    if (Array.isArray(value) && value.length && value.every(isText)) return {keys: [key], text: value.map(quoted).join(" ")};
  }
  return null;
}

const marked = (lines, mark) => lines.map((line) => mark + line);

// What replaces what, with the lines before and after that are the same. A line break at the end of both begins no
// further line.
function changeOf(before, after) {
  const both = before.endsWith("\n") && after.endsWith("\n");
  const [old, now] = [before, after].map((text) => (both ? text.slice(0, -1) : text).split("\n"));
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) ++head;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) ++tail;
  return [
    ...marked(old.slice(0, head), " "), ...marked(old.slice(head, old.length - tail), "-"),
    ...marked(now.slice(head, now.length - tail), "+"), ...marked(old.slice(old.length - tail), " "),
  ];
}

const isEdit = (value) => isText(value?.old_string) && isText(value?.new_string);
const isPatch = (value) => isText(value) && value.startsWith("*** Begin Patch");

// The patch that a tool applies: as a text, or as the only argument of `apply_patch`.
function patchOf(values) {
  for (const key of ["patch", "diff", "input", ...COMMANDS]) {
    const value = values[key];
    const text = Array.isArray(value) && value.length === 2 && value[0] === "apply_patch" ? value[1] : value;
    if (isPatch(text) || (isText(text) && (key === "patch" || key === "diff"))) return {keys: [key], lines: text.split("\n")};
  }
  return null;
}

function editsOf({edits}) {
  if (!Array.isArray(edits) || !edits.length || !edits.every(isEdit)) return null;
  const lines = edits.flatMap((edit, i) => [
    `@@ change ${i + 1} of ${edits.length}${edit.replace_all === true ? ", wherever it occurs" : ""}`, ...changeOf(edit.old_string, edit.new_string)]);
  return {keys: ["edits"], lines};
}

function diffOf(values) {
  if (isEdit(values)) return {keys: ["old_string", "new_string"], lines: changeOf(values.old_string, values.new_string)};
  const changes = editsOf(values) ?? patchOf(values);
  if (changes) return changes;
  if (isText(values.new_source) && isText(values.notebook_path)) {
    return {keys: ["new_source"], lines: marked(values.new_source.split("\n"), "+")};
  }
  if (isText(values.content) && FILES.some((key) => isText(values[key]))) {
    return {keys: ["content"], lines: marked(values.content.replace(/\n$/, "").split("\n"), "+")};
  }
  return null;
}

const kindOf = (line) => (line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : line.startsWith("@@") ? "hunk" : null);

function diffBlock(lines) {
  return h("pre", {class: "code diff", tabindex: 0, "aria-label": "Change"},
    lines.map((line) => h("span", {class: kindOf(line)}, `${visible(line)}\n`)));
}

// A text that is cut if it is long, with a button that shows all of it.
export function textBlock(text, className = "code", label = null) {
  const block = h("pre", {class: className, tabindex: 0, "aria-label": label});
  if (text.length <= LONG) {
    block.textContent = visible(text);
    return block;
  }
  block.textContent = visible(text.slice(0, LONG));
  const button = h("button", {type: "button", class: "quiet show-all", onclick: () => {
    block.textContent = visible(text);
    button.remove();
  }}, `Show all ${text.length.toLocaleString()} characters`);
  return h("div", null, block, button);
}

function table(values, keys) {
  if (keys.length === 0) return null;
  return h("dl", {class: "arguments"}, keys.map((key) => [
    h("dt", null, visible(key)), h("dd", null, textBlock(isText(values[key]) ? values[key] : pretty(values[key]), "value"))]));
}

export function folderOf(values) {
  const key = FOLDERS.find((each) => isText(values?.[each]));
  return key ? values[key] : null;
}

// `exact`: the JSON text as it is recorded.
export function argumentsBlock(values, exact) {
  const patch = patchOf(values);
  const command = patch ? null : commandOf(values);
  const diff = patch ?? (command ? null : diffOf(values));
  const shown = new Set([...(command?.keys ?? []), ...(diff?.keys ?? [])]);
  const rest = Object.keys(values).filter((key) => !shown.has(key));
  return h("div", {class: "call-arguments"},
    command && textBlock(command.text, "code command", "Command"),
    diff && table(values, rest.filter((key) => FILES.includes(key))),
    diff && diffBlock(diff.lines),
    table(values, diff ? rest.filter((key) => !FILES.includes(key)) : rest),
    h("details", {class: "exact"}, h("summary", null, "Exactly as recorded"), textBlock(exact ?? pretty(values))));
}

// On one line, for folded calls.
export function argumentsLine(values) {
  const command = commandOf(values ?? {});
  if (command) return command.text;
  const file = FILES.find((key) => isText(values?.[key]));
  return file ? values[file] : Object.entries(values ?? {}).map(([key, value]) => `${key}: ${oneLine(value)}`).join(", ");
}
