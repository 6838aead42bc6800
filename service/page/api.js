// Requests to the service. docs/http_api.md describes them.

export class Problem extends Error {
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? `status ${status}`);
    this.status = status;
    this.code = problem.code;
  }
}

// Called when the service no longer knows this browser.
let onSignedOut = () => {};
export function whenSignedOut(callback) {
  onSignedOut = callback;
}

export const urlOf = (path) => new URL(path, document.baseURI.split("#")[0]);

// `texts`: more fields of the body, as JSON that is sent as it is.
const jsonOf = (body, texts) => Object.entries(texts ?? {}).reduce(
  (json, [name, text]) => `${json.slice(0, -1)},${JSON.stringify(name)}:${text}}`, JSON.stringify(body));

export async function send(method, path, body, texts) {
  // The header says that the page itself has made the request: another page cannot add it.
  const headers = {"Turnlog-Page": "1"};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const response = await fetch(urlOf(path), {
    method, headers, body: body === undefined ? undefined : jsonOf(body, texts), credentials: "same-origin", cache: "no-store",
  });
  if (response.ok) return response;
  if (response.status === 401 && path !== "v1/sign-in") onSignedOut();
  throw new Problem(response.status, await response.json().catch(() => ({})));
}

const query = (fields) => {
  const given = Object.entries(fields ?? {}).filter(([, value]) => value !== undefined && value !== null);
  // Not URLSearchParams: the service takes '+' as it is.
  const text = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return text ? `?${text}` : "";
};

export const get = async (path, fields) => (await send("GET", path + query(fields))).json();

export async function getLines(path, fields) {
  const text = await (await send("GET", path + query(fields))).text();
  return text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

// Browsers take such names for parts of the path, however they are written.
const UNNAMEABLE = [".", ".."];

function of(conversation, what) {
  if (UNNAMEABLE.includes(conversation)) throw new Error("Browsers cannot ask for a conversation of this name.");
  return `v1/conversations/${encodeURIComponent(conversation)}${what ? `/${what}` : ""}`;
}

export const conversation = {
  info: (id) => get(of(id)),
  state: (id) => get(of(id, "state")),
  // Lines of {event, turn, rule, inserted, redacted}, and cut: how large the event is, of which only a part is there.
  events: (id, fields) => getLines(of(id, "events"), {cut: true, ...fields}),
  repairs: async (id) => (await get(of(id, "repairs"))).repairs,
  attempts: async (id, inquiry) => (await get(of(id, "attempts"), {id: inquiry})).attempts,
  respond: (id, body, texts) => send("POST", of(id, "respond"), {via: "page", ...body}, texts),
  cancel: (id, body) => send("POST", of(id, "cancel"), {via: "page", ...body}),
  attend: (id, body) => send("PUT", of(id, "attention"), body),
};

// One event of the log; null if it was erased.
export async function eventAt(id, seq) {
  const [line] = await getLines(of(id, "events"), {marks: true, view: "raw", from: seq, limit: 1});
  return line?.event ?? null;
}
