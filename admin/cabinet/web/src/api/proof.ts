// Proofs that calls wait for: a session, or a fresh proof of who uses it.
export type Need = "session" | "proof";

type Asker = (need: Need) => Promise<boolean>;

let asker: Asker = () => Promise.resolve(false);
let open: Promise<boolean> | null = null;

// onAsk sets what asks the person. There is one dialog, however many calls wait for it.
export function onAsk(a: Asker) {
  asker = a;
}

// ask resolves to true once the proof was given, to false if the person declined.
export function ask(need: Need): Promise<boolean> {
  open ??= asker(need).finally(() => {
    open = null;
  });
  return open;
}
