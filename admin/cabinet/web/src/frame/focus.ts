// What has the focus may disappear: a bar after its Save, a row after its Delete, a menu after its choice. For a
// person who works with keys the focus goes to what comes before it on the page then, as they cannot see where
// the browser would go on.

export {}; // loaded for what it does

const reached = "a[href], button, input, select, textarea, [tabindex='0'], [contenteditable=true]";

// The element that has the focus with those around it, each with the one before it.
let place: { element: HTMLElement; before: Element | null }[] = [];
let waits = false; // for a call that the focused button has begun
let soon: number | undefined;

function note(target: EventTarget | null) {
  place = [];
  waits = false;
  if (!(target instanceof HTMLElement) || !target.matches(":focus-visible")) return;
  for (let e: HTMLElement | null = target; e; e = e.parentElement) place.push({ element: e, before: e.previousElementSibling });
}

const usable = (e: HTMLElement) => e.matches(":not(:disabled)") && e.checkVisibility({ visibilityProperty: true });

function keep() {
  const self = place[0]?.element;
  if (!self || document.activeElement !== document.body) return;
  if (self.isConnected && (waits ||= self.matches("[data-loading]"))) {
    if (!self.matches(":disabled")) self.focus();
    return;
  }
  if (self.isConnected && usable(self)) return; // a page took the focus away
  const root = place.find(({ element: e }) => e.isConnected && e.matches("main, [role=dialog]"))?.element;
  for (const { element, before } of root ? place : []) {
    if (element === root) break;
    for (let e = element.isConnected ? element.previousElementSibling : before; e?.isConnected; e = e.previousElementSibling) {
      const inside = [e, ...e.querySelectorAll(reached)].filter((x): x is HTMLElement => x instanceof HTMLElement && x.matches(reached) && usable(x));
      if (inside.length > 0) return inside.at(-1)!.focus();
    }
  }
  const page = root ?? document.querySelector("main");
  page?.setAttribute("tabindex", "-1");
  page?.focus();
}

// A dialog that closes returns the focus by itself.
const later = () => {
  clearTimeout(soon);
  if (place.length > 0) soon = setTimeout(keep, 80);
};

note(document.activeElement);
addEventListener("focusin", (e) => note(e.target));
addEventListener("focusout", later);
addEventListener("pointerdown", () => (place = []));
new MutationObserver(later).observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
