// Addresses within the page, which stay valid: "#/", "#/c/CONVERSATION/SEQ", "#/q/CONVERSATION/INQUIRY", "#/search/TEXT",
// "#/all", "#/browsers".
const encode = encodeURIComponent;

export const links = {
  overview: () => "#/",
  conversation: (id, seq) => `#/c/${encode(id)}${seq ? `/${seq}` : ""}`,
  inquiry: (id, inquiry) => `#/q/${encode(id)}/${encode(inquiry)}`,
  search: (text) => `#/search${text ? `/${encode(text)}` : ""}`,
  all: () => "#/all",
  browsers: () => "#/browsers",
};

// {view, conversation, seq, inquiry, text}
export function parse(hash) {
  let parts;
  try {
    parts = hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  } catch {
    return {view: "overview"};
  }
  const [view, first, second] = parts;
  if (view === "c" && first) return {view: "conversation", conversation: first, seq: Number(second) || null};
  if (view === "q" && first && second) return {view: "inquiry", conversation: first, inquiry: second};
  if (view === "search") return {view: "search", text: first ?? ""};
  if (view === "all" || view === "browsers") return {view};
  return {view: "overview"};
}
