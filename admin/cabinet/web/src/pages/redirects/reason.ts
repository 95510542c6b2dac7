import type { Fault } from "../../api/client";
import { faultText } from "../../frame/Failure";
import type { Say, WordOf } from "../../words";
import { words } from "../../words/redirects";

// reasonIn says what a refusal of a rule means.
export function reasonIn(say: Say<WordOf<typeof words>>) {
  return (f: Pick<Fault, "code" | "detail">) => {
    if (f.code === "REDIRECT_LOOP") return say("loopTitle");
    if (f.code === "REDIRECT_CHAIN_TOO_LONG") return say("chainTitle");
    const word = `is_${f.code}`;
    return word in words ? say(word as keyof typeof words, { detail: f.detail }) : faultText(f, say);
  };
}
