// What waits in all conversations, as the service pushes it: the whole overview at first, and again after each change.
import {get, urlOf} from "./api.js";

const RETRY = 2000;

const listeners = new Set();
let source = null;
let retry = 0;

export const live = {overview: null, connected: false};

// Calls `listener` now and with each change, until what is returned is called.
export function subscribe(listener) {
  listeners.add(listener);
  listener(live);
  return () => listeners.delete(listener);
}

const publish = () => listeners.forEach((listener) => listener(live));

function setConnected(connected) {
  if (live.connected === connected) return;
  live.connected = connected;
  publish();
}

export function start() {
  stop();
  source = new EventSource(urlOf("v1/overview/stream"));
  source.addEventListener("overview", (event) => {
    live.overview = JSON.parse(event.data);
    live.connected = true;
    publish();
  });
  source.onopen = () => setConnected(true);
  source.onerror = () => {
    setConnected(false);
    // The browser tries again by itself, unless the service has answered with an error.
    if (source?.readyState === EventSource.CLOSED) retry = setTimeout(probe, RETRY);
  };
}

// A request says why the stream was refused: signed out, or the service is not there yet.
async function probe() {
  try {
    await get("v1/session");
  } catch (problem) {
    if (problem.status === 401) return;
  }
  start();
}

export function stop() {
  clearTimeout(retry);
  source?.close();
  source = null;
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
