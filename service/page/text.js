// Texts as people read them.

// Characters that change how a text looks without being seen: control characters, marks of direction, and those
// without width.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

// The same text with them visible, so that a command is what it seems to be. Line breaks and tabs stay. What agents may
// fill in freely need not be a text.
export function visible(text) {
  return String(text).replace(HIDDEN, (character) => {
    const code = character.codePointAt(0);
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return `\u2039U+${code.toString(16).toUpperCase().padStart(4, "0")}\u203a`;
  });
}

export function excerpt(text, length) {
  const line = visible(text.trim().replace(/\s+/g, " "));
  const letters = [...line];
  return letters.length <= length ? line : letters.slice(0, length - 1).join("") + "\u2026";
}

// Valid JSON with a line for each member. Only spaces change: JavaScript would change some numbers, and drop all but one
// of several members with one name.
export function indentJson(text) {
  let indented = "", depth = 0, former = "";
  const newLine = () => `\n${"  ".repeat(depth)}`;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g)) {
    const closes = token === "}" || token === "]";
    if (closes) depth -= 1;
    const opened = former === "{" || former === "[";
    if (former === "," || (opened && !closes) || (closes && !opened)) indented += newLine();
    indented += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth += 1;
    former = token;
  }
  return indented;
}

export const pretty = (value) => JSON.stringify(value, null, 2);

const STEPS = [["day", 86400], ["h", 3600], ["min", 60], ["s", 1]];

// "5 min", as of now.
export function age(timestamp) {
  const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(timestamp)) / 1000));
  const [unit, size] = STEPS.find(([, each]) => seconds >= each) ?? STEPS.at(-1);
  const count = Math.floor(seconds / size);
  return unit === "day" ? `${count} day${count === 1 ? "" : "s"}` : `${count} ${unit}`;
}

export function clock(timestamp) {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return "";
  return time.toLocaleString(undefined, {dateStyle: "medium", timeStyle: "short"});
}

export const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

// What a tool of JSON values may hold, on one line.
export const oneLine = (value) => (typeof value === "string" ? value : JSON.stringify(value));

export function sizeOf(bytes) {
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
