/**
 * The states of a bare machine from which none of its final states can be reached any more, where
 * some can be reached from its start. It is no property that everyone wants: a machine may have a
 * state for what failed. So it is reported and judges nothing, as what was never taken.
 *
 * One node with events at any moment has no more worlds than local states, so its distinct steps are
 * the whole graph.
 */
import { stateText } from '@conclave/core/internal';
import type { LocalState } from '@conclave/core/protocol';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { sameData } from '../worlds/canonical.js';
import { runLines } from '../worlds/run-lines.js';
import type { Action } from '../worlds/world.js';
import type { Exploration } from './exploration.js';
import { headerOf } from './witness.js';

type DeadEnds = NonNullable<Exploration['deadEnds']>;

/** Undefined where there are none, or where more than its states decide what can come. */
export function deadEndsIn(compiled: CompiledWorlds): DeadEnds | undefined {
  const { worlds } = compiled;
  const { protocol, topology, commands, clockwork } = worlds;
  const [id = '', ...others] = topology.nodes;
  if (!protocol.drawn || others.length > 0 || !commands.isUnlimited || clockwork) return undefined;
  const states = new Map<number, LocalState>();
  const before = new Map<number, number[]>();
  const steps = [...compiled.distinctSteps()].map(({ number, state, action, outcome, after }) => {
    states.set(number, state).set(outcome.state, after);
    put(before, outcome.state, number);
    return { from: number, action, to: outcome.state };
  });
  const ending = new Set(
    [...states].flatMap(([at, { status }]) => (status === 'done' ? [at] : [])),
  );
  for (const at of ending) for (const earlier of before.get(at) ?? []) ending.add(earlier); // grows
  const dead = [...states].filter(([at]) => !ending.has(at));
  if (ending.size === 0 || dead.length === 0) return undefined;
  const start = [...states].find(([, state]) => sameData(state, worlds.initial.nodes[id]));
  if (start === undefined) return undefined; // no step leaves it
  const actions = shortestRun(steps, start[0], (at) => !ending.has(at));
  return {
    states: [...new Set(dead.map(([, { value }]) => stateText(value)))],
    trace: { header: headerOf(worlds), lines: runLines(worlds, actions).lines },
  };
}

interface Edge {
  readonly from: number;
  readonly action: Action;
  readonly to: number;
}

function shortestRun(
  steps: readonly Edge[],
  start: number,
  isGoal: (at: number) => boolean,
): readonly Action[] {
  const after = new Map<number, Edge[]>();
  for (const step of steps) put(after, step.from, step);
  const last = new Map<number, Edge | undefined>([[start, undefined]]);
  for (const at of last.keys()) {
    if (isGoal(at)) return runTo(at, last);
    for (const edge of after.get(at) ?? []) if (!last.has(edge.to)) last.set(edge.to, edge); // grows
  }
  return [];
}

function runTo(goal: number, last: ReadonlyMap<number, Edge | undefined>): readonly Action[] {
  const run: Action[] = [];
  for (let edge = last.get(goal); edge; edge = last.get(edge.from)) run.push(edge.action);
  return run.reverse();
}

function put<T>(lists: Map<number, T[]>, key: number, value: T): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
