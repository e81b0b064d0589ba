/** A system whose crashes the tests look at. */
import { leaders } from '../protocol/examples.contract.js';
import { complete } from '../topology/generators.js';
import type { TraceLine } from '../trace/trace.js';
import type { SimulationOptions } from './options.js';
import type { SimulationResult } from './result.js';
import type { Workload } from './workload.js';

/** Node `a` leads at 10 ms, and `c` would at 50 ms. */
const twice: Workload = ({ later, tell }) => {
  later({ kind: 'fixed', ms: 10 }, () => tell('a', { type: 'lead' }));
  later({ kind: 'fixed', ms: 50 }, () => tell('c', { type: 'lead' }));
  return () => {};
};
export const electing: SimulationOptions = {
  protocol: leaders,
  topology: complete(3),
  workload: twice,
  record: true,
};
export const down = { kind: 'crash', node: 'a', at: 5 } as const;
export const inside = { ...down, inside: true } as const;

export const seeds = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
export const linesOf = ({ trace }: SimulationResult): readonly TraceLine[] => trace?.lines ?? [];
export const crashOf = (result: SimulationResult) =>
  linesOf(result).find(({ event }) => event.kind === 'crash');

/** The messages that have not left the node that crashes. */
export const unsentIn = (result: SimulationResult) =>
  linesOf(result).flatMap(({ node, event, time }) =>
    event.kind === 'drop' && event.from === 'a' && time === crashOf(result)?.time
      ? [`${node} ${event.call}`]
      : [],
  );
