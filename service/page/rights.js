// What this browser may do. The service refuses the rest anyway; the page does not show it.

let rights = null;  // everything: there is no session, as through a Unix socket

export function setRights(session) {
  rights = session?.rights ?? null;
}

export const may = (right) => rights === null || rights.includes(right);
