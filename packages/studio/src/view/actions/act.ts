import { signal } from '@preact/signals';
import type { Session } from '../../model/session.js';
import { assign } from '../parts/assign.js';
import { toggle } from '../play/play-simulation.js';
import { playerOf } from '../play/players.js';
import { leave } from '../present/leave.js';
import { goBack, goOn } from '../script.js';
import { offeredBy, pointed, take } from './offered.js';

/** Whether the overlay with the keys is open. */
export const keysShown = signal(false);

/** Does what a key means, and says whether it means something. */
export function act(session: Session, key: string): boolean {
  const { listed, cursor, choose } = offeredBy(session);
  const move = (by: number) => {
    choose(cursor.value + by);
    pointed.value = listed.value[cursor.value]?.target;
  };
  const { run, path } = session;
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => goBack(session),
    ArrowRight: () => goOn(session),
    PageUp: () => goBack(session), // as the remotes of presenters send
    PageDown: () => goOn(session),
    ArrowUp: () => move(-1),
    ArrowDown: () => move(1),
    Enter: () => take(session, cursor.value),
    Home: () => session.goTo(run.start),
    End: () => session.goTo(path.value.at(-1) ?? run.start),
    p: () => void toggle(playerOf(session)),
    '[': () => nextNode(session, -1),
    ']': () => nextNode(session, 1),
    '?': assign(keysShown, true),
  };
  if (key === 'Escape') return leave();
  if (Object.hasOwn(keys, key)) keys[key]?.();
  else if (/^[1-9]$/.test(key)) take(session, Number(key) - 1);
  else return false;
  return true;
}

function nextNode({ node, system }: Session, by: 1 | -1): void {
  const { nodes } = system.topology;
  node.value = nodes.at((nodes.indexOf(node.value) + by) % nodes.length) ?? node.value;
}
