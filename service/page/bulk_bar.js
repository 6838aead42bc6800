// Several permissions decided at once.
import {byId, h, replace} from "./dom.js";
import {plural, visible} from "./text.js";

export class BulkBar {
  // `cards`: gives the cards that are shown.
  constructor(cards) {
    this.cards = cards;
    this.element = byId("bulk");
    this.shown = "";
  }

  open() {
    return this.cards().filter((card) => card.inquiry.approval && !card.closed && card.body);
  }

  selected() {
    return this.open().filter((card) => card.body.selected());
  }

  update() {
    const selected = this.selected();
    const tools = [...new Set(selected.map((card) => card.body.tool))];
    const alike = tools.length === 1 ? this.open().filter((card) => card.body.tool === tools[0] && !card.body.selected()) : [];
    const state = JSON.stringify([selected.map((card) => card.key), alike.length]);
    this.element.hidden = selected.length === 0;
    if (state === this.shown) return;  // what is typed there stays
    this.shown = state;
    const reason = h("input", {type: "text", placeholder: "Reason", "aria-label": "Reason for denying all"});
    replace(this.element,
      h("span", null, `${plural(selected.length, "permission")}: ${tools.map(visible).join(", ")}`),
      alike.length > 0 && h("button", {type: "button", class: "quiet", onclick: () => this.select(alike, true)}, `Select ${alike.length} more of ${visible(tools[0])}`),
      h("button", {type: "button", class: "primary", onclick: () => this.all((card) => card.body.allow(false))}, "Allow all once"),
      reason,
      h("button", {type: "button", class: "danger", onclick: () => this.all((card) => card.body.deny(reason.value))}, "Deny all"),
      h("button", {type: "button", class: "quiet", onclick: () => this.select(selected, false)}, "Clear"));
  }

  select(cards, value) {
    cards.forEach((card) => card.body.setSelected(value));
    this.update();
  }

  // One after another: those of one conversation are answered in order.
  async all(decide) {
    for (const card of this.selected()) await decide(card);
    this.update();
  }

  hide() {
    this.element.hidden = true;
  }
}
