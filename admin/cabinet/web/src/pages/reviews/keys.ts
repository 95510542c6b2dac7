import { useWindowEvent } from "@mantine/hooks";
import { typing } from "../../parts/notice";

// useKeys runs an action for each of some letters. A keyboard of another script has them at the
// places of the Latin one.
export function useKeys(on: boolean, actions: Record<string, () => void>) {
  useWindowEvent("keydown", (e) => {
    if (!on || e.isComposing || e.ctrlKey || e.metaKey || e.altKey || e.repeat || (e.target instanceof Element && e.target.closest(typing)) || document.querySelector("[role=dialog]")) return;
    const letter = /^[a-z]$/i.test(e.key) ? e.key.toLowerCase() : e.code.replace(/^Key/, "").toLowerCase();
    if (!Object.hasOwn(actions, letter)) return;
    e.preventDefault();
    actions[letter]!();
  });
}
