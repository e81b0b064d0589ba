import type { Session } from '../model/session.js';

const keys = new WeakMap<Session, number>();
let latest = 0;

/** A key of its own for each session: a component with it begins anew with another session, and keeps none of the signals of the one before. */
export function sessionKey(session: Session): number {
  const key = keys.get(session) ?? ++latest;
  keys.set(session, key);
  return key;
}
