// What a person typed and did not send yet is kept in the storage of the tab, so that it survives a
// reload and an ended session.

export const prefix = "unsaved:";

// Unkept is a value that is never stored, because it has no JSON. Every secret that a person types is one.
export class Unkept<V> {
  constructor(readonly value: V) {}
  toJSON(): undefined {
    return undefined;
  }
}

// bare is a value as it is without that mark.
export const bare = (v: unknown): unknown => (v instanceof Unkept ? v.value : v);

export const same = (a: unknown, b: unknown) => JSON.stringify(bare(a)) === JSON.stringify(bare(b));
