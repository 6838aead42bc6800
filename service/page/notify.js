// The title counts what waits; a desktop notification says that something new does, without its content.
import {byId} from "./dom.js";
import {inquiriesOf, keyOf, subscribe, waitingCount} from "./live.js";
import {links} from "./links.js";
import {plural} from "./text.js";

let known = null;  // keys of what waited before; null: nothing has been shown yet

function showTitle(overview) {
  const count = waitingCount(overview);
  document.title = count > 0 ? `(${count}) turnlog` : "turnlog";
}

function notify(fresh) {
  if (fresh.length === 0 || document.hasFocus() || !("Notification" in window) || Notification.permission !== "granted") return;
  const permissions = fresh.filter(({inquiry}) => inquiry.approval).length;
  const parts = [permissions && plural(permissions, "permission"), fresh.length - permissions && plural(fresh.length - permissions, "question")];
  const notification = new Notification("turnlog", {body: `Waiting for you: ${parts.filter(Boolean).join(", ")}`, tag: "turnlog"});
  notification.onclick = () => {
    window.focus();
    location.hash = fresh.length === 1 ? links.inquiry(fresh[0].entry.conversation, fresh[0].inquiry.id) : links.overview();
    notification.close();
  };
}

export function watch() {
  subscribe(({overview}) => {
    if (!overview) return;
    showTitle(overview);
    const waiting = inquiriesOf(overview).filter(({entry}) => !entry.snoozed_until);
    const keyFor = ({entry, inquiry}) => keyOf(entry.conversation, inquiry.id);
    if (known) notify(waiting.filter((each) => !known.has(keyFor(each))));
    known = new Set(waiting.map(keyFor));
  });
  const button = byId("notify");
  const show = () => { button.hidden = !("Notification" in window) || Notification.permission !== "default"; };
  button.addEventListener("click", async () => {
    await Notification.requestPermission();
    show();
  });
  show();
}
