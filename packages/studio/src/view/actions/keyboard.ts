import { signal } from '@preact/signals';
import type { Session } from '../../model/session.js';
import { playerOf } from '../play/players.js';
import { offeredBy, pointed } from './offered.js';

/** Whether the overlay with the keys is open. */
export const keysShown = signal(false);

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
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isElsewhere(event)) return;
    if (act(session, event.key)) event.preventDefault();
  };
  document.addEventListener('keydown', listener);
  return () => document.removeEventListener('keydown', listener);
}

/** Whether a key belongs to the element that has the focus. */
function isElsewhere({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest('input, textarea, select, [contenteditable], dialog, [role=dialog], [role=menu]')) return true;
  return key === 'Enter' && target.closest('button, a, summary, [role=button]') !== null;
}

/** Whether the key means something here. */
function act(session: Session, key: string): boolean {
  const offered = offeredBy(session);
  const { value: listed } = offered.listed;
  const { value: cursor } = offered.cursor;
  const { path } = session;
  const move = (by: number) => {
    offered.choose(cursor + by);
    pointed.value = listed[offered.cursor.value]?.target;
  };
  const take = (position: number) => {
    const action = listed[position];
    pointed.value = undefined;
    if (action) session.take(action.number);
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => session.back(),
    ArrowRight: () => session.forward(),
    ArrowUp: () => move(-1),
    ArrowDown: () => move(1),
    Enter: () => take(cursor),
    Home: () => session.goTo(session.run.start),
    End: () => session.goTo(path.value.at(-1) ?? session.run.start),
    p: () => playerOf(session).toggle(),
    '[': () => nextNode(session, -1),
    ']': () => nextNode(session, 1),
    '?': () => {
      keysShown.value = true;
    },
  };
  const does = Object.hasOwn(keys, key) ? keys[key] : /^[1-9]$/.test(key) ? () => take(Number(key) - 1) : undefined;
  does?.();
  return does !== undefined;
}

function nextNode({ node, system }: Session, by: 1 | -1): void {
  const { nodes } = system.topology;
  node.value = nodes.at((nodes.indexOf(node.value) + by) % nodes.length) ?? node.value;
}
