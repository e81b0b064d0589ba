/**
 * What a user calls the events and timers that XState names by itself: `done(fetchUser)` for
 * `xstate.done.actor.0.(machine).loading`, `after 200 ms in loading` for the timer of
 * `xstate.after.200.(machine).loading`. Traces keep XState's names, which replay; what is shown has
 * these.
 */
import type { AnyStateMachine } from 'xstate';
import type { Protocol } from '../protocol.js';
import { stateNodes } from '../regions.js';
import { doneOf, errorOf, nameOf, snapshotOf, startOf, stopOf } from './modelled.js';

/** By XState's name of the end of an actor. With its state, where several ends had one name. */
export function endNames(machine: AnyStateMachine): ReadonlyMap<string, string> {
  const actors = stateNodes(machine).flatMap((node) =>
    node.invoke.map((invoked) => ({ node, id: invoked.id, name: nameOf(invoked, node) })),
  );
  return new Map(
    actors.flatMap(({ node, id, name }) => {
      const isShared = actors.some((other) => other.name === name && other.id !== id);
      const shown = isShared ? `${name} in ${node.path.join('.') || node.key}` : name;
      return [
        [doneOf(id), `done(${shown})`] as const,
        [errorOf(id), `error(${shown})`] as const,
        [snapshotOf(id), `snapshot(${shown})`] as const,
        [startOf(id), `start(${shown})`] as const,
        [stopOf(id), `stop(${shown})`] as const,
      ];
    }),
  );
}

function timerNames(machine: AnyStateMachine): readonly (readonly [string, string])[] {
  return stateNodes(machine).flatMap((node) =>
    node.after.map(({ delay, eventType }) => {
      const place = node.path.length > 0 ? ` in ${node.path.join('.')}` : '';
      const time = typeof delay === 'number' ? `${delay} ms` : String(delay);
      return [eventType.replace('xstate.after.', ''), `after ${time}${place}`] as const;
    }),
  );
}

/** Between XState's names and those that are shown. */
export interface Readable {
  readonly shown: (text: string) => string;
  /** What is shown, as XState has it. */
  readonly own: (text: string) => string;
}

/** Of the bare machines of a protocol; any other protocol has texts of its own. */
export function readable({ drawn = {} }: Pick<Protocol, 'drawn'>): Readable {
  const machines = Object.values(drawn);
  const names = machines
    .flatMap((machine) => [...endNames(machine), ...timerNames(machine)])
    .sort(([one], [other]) => other.length - one.length);
  const replaced = (text: string, pairs: readonly (readonly [string, string])[]) =>
    pairs.reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
  return {
    shown: (text) => replaced(text, names),
    own: (text) =>
      replaced(
        text,
        names.map(([own, name]) => [name, own]),
      ),
  };
}
