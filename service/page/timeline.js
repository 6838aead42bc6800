// The events of one conversation as a list that grows at both ends.
import {conversation} from "./api.js";
import {EventRows} from "./event_rows.js";
import {h} from "./dom.js";

const PIECE = 100;

// The stored events of a range, each with what repairs make of it. Those that the sanitized view adds follow the event
// after which it shows them.
async function load(id, fields, repaired) {
  const raw = await conversation.events(id, {view: "raw", limit: PIECE, ...fields});
  if (fields.order === "backward") raw.reverse();
  const seqs = raw.map((line) => line.event.seq).filter(Boolean);
  if (!repaired || seqs.length === 0) return raw;
  return merge(raw, await sanitized(id, seqs[0], seqs.at(-1)));
}

async function sanitized(id, first, last) {
  const lines = [];
  for (let from = first; from <= last;) {
    const piece = await conversation.events(id, {from, limit: PIECE});
    const next = Math.max(...piece.map((line) => line.event.seq ?? 0)) + 1;
    lines.push(...piece);
    if (piece.length < PIECE || next <= from) break;
    from = next;
  }
  return lines;
}

function merge(raw, shown) {
  const added = new Map();  // by the seq that they follow
  const kept = new Map();
  let previous = 0;
  for (const line of shown) {
    if (line.event.seq) {
      previous = line.event.seq;
      kept.set(previous, line);
    } else {
      added.set(previous, [...(added.get(previous) ?? []), line]);
    }
  }
  return raw.flatMap((line) => {
    const {seq, type} = line.event;
    const sees = kept.get(seq);
    // What is in force for the sanitized view: an event that it does not show was dropped.
    const marks = sees ? {rule: sees.rule} : {dropped: type !== "repair" && type !== "erased" && type !== "damaged"};
    return [{...line, ...marks}, ...(added.get(seq) ?? [])];
  });
}

export class Timeline {
  constructor(id) {
    this.id = id;
    this.rows = new EventRows(id);
    this.earlier = h("button", {type: "button", class: "quiet more", onclick: () => this.loadEarlier()}, "Load earlier events");
    this.later = h("button", {type: "button", class: "quiet more", onclick: () => this.loadLater()}, "Load later events");
    this.element = h("div", {class: "timeline"}, this.earlier, this.rows.element, this.later);
    this.queue = Promise.resolve();
  }

  // Around an event, or the end.
  async open(seq) {
    this.repaired = (await conversation.repairs(this.id)).length > 0;
    this.last = (await conversation.info(this.id)).last;
    const from = seq ? Math.max(1, seq - PIECE / 2) : Math.max(1, this.last - PIECE + 1);
    this.first = from;
    this.next = from;
    await this.loadLater();
    this.showButtons();
  }

  get atEnd() {
    return this.next > this.last;
  }

  showButtons() {
    this.earlier.hidden = this.first <= 1;
    this.later.hidden = this.atEnd;
  }

  // One load at a time, so that events are shown once and in order.
  enqueue(work) {
    this.queue = this.queue.then(work, work);
    return this.queue;
  }

  loadLater() {
    return this.enqueue(async () => {
      const lines = await load(this.id, {from: this.next}, this.repaired);
      const seqs = lines.map((line) => line.event.seq ?? 0);
      this.rows.append(lines);
      this.next = Math.max(this.next - 1, ...seqs) + 1;
      this.last = Math.max(this.last, this.next - 1);
      if (lines.length === 0) this.next = this.last + 1;
      this.showButtons();
    });
  }

  loadEarlier() {
    return this.enqueue(async () => {
      if (this.first <= 1) return;
      const from = Math.max(1, this.first - PIECE);
      const lines = await load(this.id, {from, limit: this.first - from}, this.repaired);
      const anchor = this.rows.element.firstElementChild;
      const top = anchor?.getBoundingClientRect().top;
      this.rows.prepend(lines);
      this.first = from;
      if (anchor) window.scrollBy(0, anchor.getBoundingClientRect().top - top);  // what is read stays where it is
      this.showButtons();
    });
  }

  // The conversation has grown: the end is shown as long as it was shown before.
  async follow(last) {
    if (last <= this.last) return;
    const atEnd = this.atEnd;
    this.last = last;
    if (atEnd) await this.loadLater();
    else this.showButtons();
  }
}
