import type { Limits } from '../exploration/search/limits/limits.js';
import { CompiledWorlds } from '../exploration/search/tables/compiled-worlds.js';
import type { Graph } from '../exploration/search/traversal/graph.js';
import { type Search, search } from '../exploration/search/traversal/search.js';
import type { Budget } from '../exploration/worlds/budget.js';
import { timeOf, withFittingTick } from '../exploration/worlds/time.js';
import type { Action } from '../exploration/worlds/world.js';
import { Worlds } from '../exploration/worlds/worlds.js';
import { budgetIn } from '../options/exploration.js';
import type { Protocol } from '../protocol/protocol.js';
import { type MutationSystem, optionsOf } from './systems.js';

/** The reachable worlds of a protocol on one system, and all steps between them. */
export interface ExploredGraph {
  readonly worlds: Worlds;
  readonly compiled: CompiledWorlds;
  readonly search: Search;
  readonly graph: Graph;
}

/** Explores every world without checking a property. Undefined when a limit is reached. */
export function exploredGraph(
  protocol: Protocol,
  system: MutationSystem,
  limits: Limits = {},
): ExploredGraph | undefined {
  const budget = budgetIn(optionsOf(system));
  return withFittingTick(timeOf(protocol, budget), (time) =>
    graphOf(new Worlds(protocol, system.topology, { ...budget, time }), limits),
  );
}

function graphOf(worlds: Worlds, limits: Limits): ExploredGraph | undefined {
  const compiled = new CompiledWorlds(worlds);
  const goOn = () => true;
  const found = search(
    compiled,
    { graph: true, limits },
    { found: goOn, ended: goOn, fault: () => false, progress: () => {} },
  );
  return found.complete && found.graph
    ? { worlds, compiled, search: found, graph: found.graph }
    : undefined;
}

/** The time of an explored system with its tick, so that ticks of its mutants are as long. */
export function timeIn({
  worlds: { protocol, clockwork, budget },
}: ExploredGraph): Pick<Budget, 'time'> {
  const time = timeOf(protocol, budget);
  return clockwork && clockwork.tick > 0 && time !== 'untimed'
    ? { time: { ...time, tick: clockwork.tick } }
    : {};
}

/** The world that these actions lead to. */
export const worldAfter = ({ worlds }: ExploredGraph, actions: readonly Action[]) =>
  actions.reduce((world, action) => worlds.next(world, action), worlds.initial);
