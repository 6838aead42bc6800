// Starts the page: signs in, follows the address, and keeps what is shown up to date.
import {allView} from "./all_view.js";
import {get, whenSignedOut} from "./api.js";
import {browsersView} from "./browsers_view.js";
import {conversationView} from "./conversation_view.js";
import {byId, h, replace} from "./dom.js";
import {listen} from "./keyboard.js";
import {links, parse} from "./links.js";
import * as live from "./live.js";
import {watch} from "./notify.js";
import {overviewView} from "./overview_view.js";
import {setRights} from "./rights.js";
import {searchView} from "./search_view.js";
import {isSignInLink, signInByLink, signInView} from "./sign_in.js";

const VIEWS = {
  overview: overviewView, conversation: conversationView, inquiry: conversationView, search: searchView, all: allView,
  browsers: browsersView,
};
const NAVIGATION = [
  ["overview", "Overview", links.overview()], ["all", "Conversations", links.all()], ["search", "Search", links.search("")],
  ["browsers", "Browsers", links.browsers()],
];

let leave = null;  // ends the view that is shown
let signedIn = false;
let refusal = "";  // of a link: why it has signed nobody in

function show() {
  if (!signedIn) return;
  const route = parse(location.hash);
  leave?.();
  const root = replace(byId("view"));
  showNavigation(route.view);
  window.scrollTo(0, 0);
  leave = VIEWS[route.view](root, route) ?? null;
}

function showNavigation(view) {
  replace(byId("nav"), NAVIGATION.map(([name, title, href]) => h("a", {href, "aria-current": name === view ? "page" : null}, title)));
}

function showSignIn() {
  if (!signedIn && leave && !refusal) return;
  signedIn = false;
  live.stop();
  leave?.();
  leave = () => {};
  replace(byId("nav"));
  document.title = "turnlog";
  signInView(byId("view"), begin, refusal);
  refusal = "";
}

// When there is a session, or, as through a socket, none is needed.
async function begin() {
  let session = null;
  try {
    session = await get("v1/session");
  } catch (problem) {
    if (problem.status === 401) return;
    if (problem.status !== 404) {
      replace(byId("view"), h("p", {class: "status error"}, problem.message));
      return;
    }
  }
  setRights(session);
  signedIn = true;
  refusal = "";
  live.start();
  show();
}

// A link may also be pasted where the page is open. One that was used before is none where there is a session already.
async function follow() {
  if (!isSignInLink()) return show();
  refusal = await signInByLink();
  return begin();
}

function showConnection({connected, overview}) {
  const lost = signedIn && !connected && overview !== null;
  byId("connection").textContent = lost ? "Connection lost, trying again\u2026" : "";
  document.body.classList.toggle("disconnected", lost);
}

async function start() {
  whenSignedOut(showSignIn);
  window.addEventListener("hashchange", follow);
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    byId("view").focus();
  });
  listen();
  watch();
  live.subscribe(showConnection);
  await (isSignInLink() ? follow() : begin());
}

start();
