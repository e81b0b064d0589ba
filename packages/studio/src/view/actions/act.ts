import { signal } from '@preact/signals';
import type { Session } from '../../model/session.js';
import { playerOf } from '../play/players.js';
import { offeredBy, pointed } from './offered.js';

/** Whether the overlay with the keys is open. */
export const keysShown = signal(false);

/** Does what a key means, and says whether it means something. */
export function act(session: Session, key: string): boolean {
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
  const does = Object.hasOwn(keys, key)
    ? keys[key]
    : /^[1-9]$/.test(key)
      ? () => take(Number(key) - 1)
      : undefined;
  does?.();
  return does !== undefined;
}

function nextNode({ node, system }: Session, by: 1 | -1): void {
  const { nodes } = system.topology;
  node.value = nodes.at((nodes.indexOf(node.value) + by) % nodes.length) ?? node.value;
}
