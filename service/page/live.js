// What waits in all conversations, as the service pushes it: the whole overview at first, and again after each change.
// A browser allows six connections to a host, so its tabs share one stream: the tab that holds the lock has it, and
// passes on what comes.
import {get, urlOf} from "./api.js";

const RETRY = 2000;
const NAME = `turnlog ${urlOf("")}`;  // of this service: there may be others on this host

const listeners = new Set();
let channel = null;  // to the other tabs; null: stopped
let leave = null;    // gives the stream up, or no longer waits for it
let source = null;   // null: another tab has it
let last = null;     // the last overview, as it came
let retry = 0;

export const live = {overview: null, connected: false};

// Calls `listener` now and with each change, until what is returned is called.
export function subscribe(listener) {
  listeners.add(listener);
  listener(live);
  return () => listeners.delete(listener);
}

function take({connected, overview}) {
  if (overview === undefined && live.connected === connected) return;
  if (overview !== undefined) live.overview = JSON.parse(last = overview);
  live.connected = connected;
  listeners.forEach((listener) => listener(live));
}

// Of the stream of this tab.
function tell(news) {
  channel?.postMessage(news);
  take(news);
}

function hear({data}) {
  if (!data.asks) take(data);
  else if (source && last !== null) channel.postMessage({connected: live.connected, overview: last});
}

export function start() {
  stop();
  channel = new BroadcastChannel(NAME);
  channel.onmessage = hear;
  channel.postMessage({asks: true});
  if (navigator.locks) lead(isVisible());
  else open();
}

export function stop() {
  leave?.();
  leave = null;
  close();
  channel?.close();
  channel = null;
}

// --- Which tab has the stream ---

const isVisible = () => document.visibilityState === "visible";

// Browsers may stop tabs that nobody sees: who is seen takes the stream, others wait for it.
function lead(steal) {
  const turn = new AbortController();
  leave = () => turn.abort();
  const hold = () => new Promise((done) => {
    if (turn.signal.aborted) return done();
    turn.signal.addEventListener("abort", done);
    open();
  });
  navigator.locks.request(NAME, steal ? {steal} : {signal: turn.signal}, hold).catch(() => {
    if (turn.signal.aborted) return;
    close();  // another tab has taken it
    lead(false);
  });
}

document.addEventListener("visibilitychange", () => {
  if (!channel || source || !isVisible() || !navigator.locks) return;
  leave();
  lead(true);
});

// --- The stream ---

function open() {
  source = new EventSource(urlOf("v1/overview/stream"));
  source.addEventListener("overview", (event) => tell({connected: true, overview: event.data}));
  source.onopen = () => tell({connected: true});
  source.onerror = () => {
    tell({connected: false});
    // The browser tries again by itself, unless the service has answered with an error.
    if (source?.readyState === EventSource.CLOSED) retry = setTimeout(probe, RETRY);
  };
}

function close() {
  clearTimeout(retry);
  source?.close();
  source = null;
}

// A request says why the stream was refused: signed out, or the service is not there yet.
async function probe() {
  const refused = source;
  try {
    await get("v1/session");
  } catch (problem) {
    if (problem.status === 401) return;
  }
  if (source === refused) open();
}

// --- What is in it ---

export const inquiriesOf = (overview) =>
  overview.blocked.flatMap((entry) => entry.inquiries.map((inquiry) => ({entry, inquiry})))
    .sort((left, right) => (left.inquiry.timestamp ?? "").localeCompare(right.inquiry.timestamp ?? ""));

export const keyOf = (conversation, inquiry) => JSON.stringify([conversation, inquiry]);

export const waitingCount = (overview) =>
  overview.blocked.filter((entry) => !entry.snoozed_until).reduce((sum, entry) => sum + entry.inquiries.length, 0);

export function entryOf(overview, conversation) {
  for (const group of ["blocked", "failed", "finished", "running"]) {
    const found = overview?.[group].find((entry) => entry.conversation === conversation);
    if (found) return {...found, group};
  }
  return null;
}
