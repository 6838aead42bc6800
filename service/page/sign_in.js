// Changes a token or a one-time code into a session.
import {send} from "./api.js";
import {h, replace} from "./dom.js";
import {visible} from "./text.js";

const LINK = /^#pair=([\w-]+)$/;

// Whether the address is a link that `logctl serve --pair` prints.
export const isSignInLink = () => LINK.test(location.hash);

// Why it signs nobody in; "" if it does. The code leaves the address at once.
export async function signInByLink() {
  const [, code] = LINK.exec(location.hash);
  history.replaceState(null, "", "#/");
  try {
    await send("POST", "v1/sign-in", {code});
    return "";
  } catch (problem) {
    return problem.message;
  }
}

// `refusal`: of what was tried before.
export function signInView(root, onSignedIn, refusal) {
  const secret = h("input", {type: "password", name: "secret", autocomplete: "current-password", required: true});
  const who = h("input", {type: "text", name: "who", autocomplete: "name", maxlength: 100});
  const status = h("p", {class: "status error", role: "alert"}, visible(refusal));

  async function submit(event) {
    event.preventDefault();
    const given = secret.value.trim();
    const isCode = /^[\w]{4}[- ]?[\w]{4}$/.test(given);
    try {
      await send("POST", "v1/sign-in", {[isCode ? "code" : "token"]: given, who: who.value || undefined});
      onSignedIn();
    } catch (problem) {
      status.textContent = visible(problem.message);
      secret.select();
    }
  }

  replace(root, h("form", {class: "sign-in", onsubmit: submit},
    h("h1", null, "Sign in"),
    h("label", null, "Pairing code or token", secret),
    h("label", null, "Your name, for the record of your answers", who),
    h("button", {type: "submit", class: "primary"}, "Sign in"), status,
    h("p", {class: "hint"}, "A code is printed by: ", h("code", {class: "mono"}, "logctl serve --pair"))));
  secret.focus();
}
