// What became of a question, in words.
import {conversation, eventAt} from "./api.js";
import {oneLine, visible} from "./text.js";

const REASONS = {
  user: "declined", reply: "declined: a message instead", end_turn: "declined, and the turn ended", back: "back to the question before",
  superseded: "superseded", expired: "expired", interrupted: "interrupted", run_terminated: "the run ended",
  no_prompt_backend: "no user was present", backend_error: "failed",
};

export function byWhom(responder) {
  if (!responder) return "";
  const name = responder.who ?? responder.model ?? responder.kind ?? "";
  return ` by ${visible(name)}${responder.via ? ` (${visible(responder.via)})` : ""}`;
}

// `response`: an inquiry_response event.
export function outcomeText(response) {
  const who = byWhom(response.responder);
  if (response.outcome === "redacted") return `Secret given${who}`;
  if (response.outcome === "cancelled") return `${capital(REASONS[response.reason] ?? visible(response.reason ?? "cancelled"))}${who}`;
  const note = response.reason ? ` \u2014 ${visible(response.reason)}` : "";
  return `${visible(givenText(response))}${who}${note}`;
}

function givenText(response) {
  const edited = response.metadata?.edited_arguments;
  return edited === undefined ? answerText(response.answer) : `Allowed with other arguments: ${JSON.stringify(edited)}`;
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export function answerText(answer) {
  if (answer === true) return "Yes";
  if (answer === false) return "No";
  if (Array.isArray(answer)) return answer.length ? answer.map(oneLine).join(", ") : "None";
  return oneLine(answer);
}

// Of the last attempt of a question that is closed; "" if nothing is on record.
export async function outcomeOf(id, inquiry) {
  const attempts = await conversation.attempts(id, inquiry);
  const seq = attempts.at(-1)?.response;
  const response = seq ? await eventAt(id, seq) : null;
  return response ? outcomeText(response) : "";
}
