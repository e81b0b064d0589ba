import type { Session } from '../../model/session.js';
import { act } from './act.js';

/** What each key does, for the overlay. */
export const keyWords: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['←', '→'], 'one step back, one step forward'],
  [['Home', 'End'], 'to the start, to the end of this branch'],
  [['P'], 'play this branch, pause'],
  [['↑', '↓'], 'choose among what can happen'],
  [['Enter'], 'take what is chosen'],
  [['1', '…', '9'], 'take it by its number'],
  [['[', ']'], 'previous node, next node'],
  [['Tab'], 'to the next view or button; in the network ↑ and ↓ move among nodes and messages'],
  [['Enter'], 'on a node or a message: its menu'],
  [['?'], 'these keys'],
];

/** Lets the keys step through a session, until the returned function is called. */
export function followKeys(session: Session): () => void {
  const listener = (event: KeyboardEvent) => {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.defaultPrevented ||
      isElsewhere(event)
    )
      return;
    if (act(session, event.key)) event.preventDefault();
  };
  document.addEventListener('keydown', listener);
  return () => document.removeEventListener('keydown', listener);
}

/** Whether a key belongs to the element that has the focus. */
function isElsewhere({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (
    target.closest('input, textarea, select, [contenteditable], dialog, [role=dialog], [role=menu]')
  )
    return true;
  return key === 'Enter' && target.closest('button, a, summary, [role=button]') !== null;
}
