// The browsers that are signed in.
import {get, send} from "./api.js";
import {h, replace} from "./dom.js";
import {may} from "./rights.js";
import {clock, visible} from "./text.js";

export function browsersView(root) {
  const list = h("ul", {class: "rows"});
  const link = h("p", {class: "status", role: "status"});

  const end = (session) => send("DELETE", `v1/sessions/${encodeURIComponent(session.id)}`).then(show, fail);
  const fail = (problem) => { link.textContent = visible(problem.message); };

  // The next request says that this browser is signed out.
  const signOut = () => send("POST", "v1/sign-out").then(show, fail);

  async function pair() {
    const {link: address} = await (await send("POST", "v1/pairing", {})).json();
    replace(link, "Open this once, within ten minutes, in the other browser: ", h("code", {class: "mono"}, address));
  }

  async function show() {
    const own = await get("v1/session").catch((problem) => { if (problem.status !== 404) throw problem; });
    const {sessions} = may("maintain") ? await get("v1/sessions") : {sessions: [own]};
    replace(list, sessions.map((session) => h("li", {class: "row"},
      h("span", {class: "name"}, session.who ? visible(session.who) : "no name"),
      h("span", {class: "kind"}, session.id === own?.id ? "this browser" : session.id),
      h("span", {class: "rights"}, session.rights.join(", ")),
      h("time", null, `since ${clock(session.begun)}`),
      session.id !== own?.id && h("button", {type: "button", class: "quiet", onclick: () => end(session)}, "Sign out"))));
  }

  replace(root, h("h1", null, "Browsers"), list,
    h("div", {class: "actions"},
      may("maintain") && h("button", {type: "button", onclick: () => pair().catch(fail)}, "Pair another browser"),
      h("button", {type: "button", onclick: signOut}, "Sign out here")),
    link);
  show().catch(fail);
}
