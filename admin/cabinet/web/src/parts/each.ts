import type { Say } from "../words";
import { failed } from "./notice";
import { patiently } from "./uploads";

// each makes one call for each of several things, and tells which it refused and why. It returns the
// answers of the others.
export async function each<T, R>(say: Say, list: T[], nameOf: (item: T) => string, call: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (const item of list) {
    try {
      done.push(await patiently(() => call(item)));
    } catch (error) {
      failed(say, error, nameOf(item));
    }
  }
  return done;
}
