// What was typed into a form survives a reload of the page, in this tab only. Secrets are never kept.

const keyFor = (key) => `draft:${key}`;

// In order: names differ from one load of the page to the next.
const controlsOf = (form) => [...form.querySelectorAll("input, textarea, select")].filter((each) => each.type !== "password");

const stateOf = (control) => (control.type === "radio" || control.type === "checkbox" ? control.checked : control.value);

export function keepDraft(form, key) {
  const saved = JSON.parse(sessionStorage.getItem(keyFor(key)) ?? "null");
  const controls = controlsOf(form);
  if (saved?.length === controls.length) {
    controls.forEach((control, index) => {
      if (typeof saved[index] === "boolean") control.checked = saved[index];
      else control.value = saved[index];
    });
  }
  const save = () => sessionStorage.setItem(keyFor(key), JSON.stringify(controlsOf(form).map(stateOf)));
  form.addEventListener("input", save);
  form.addEventListener("change", save);
}

export const hasDraft = (key) => sessionStorage.getItem(keyFor(key)) !== null;
export const dropDraft = (key) => sessionStorage.removeItem(keyFor(key));
