import { canonical } from '../worlds/canonical.js';

const known = new WeakMap<object, string>();

/** `canonical` for data that never changes: each object is written once. */
export function textOf(data: object): string {
  let text = known.get(data);
  if (text === undefined) {
    text = canonical(data);
    known.set(data, text);
  }
  return text;
}
