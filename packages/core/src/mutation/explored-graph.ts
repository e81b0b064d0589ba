import { CompiledWorlds } from '../exploration/compiled/compiled.js';
import type { Graph } from '../exploration/search/graph.js';
import type { Limits } from '../exploration/search/limits.js';
import { type Search, search } from '../exploration/search/search.js';
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
export function exploredGraph(protocol: Protocol, system: MutationSystem, limits: Limits = {}): ExploredGraph | undefined {
  const worlds = new Worlds(protocol, system.topology, budgetIn(optionsOf(system)));
  const compiled = new CompiledWorlds(worlds);
  const goOn = () => true;
  const found = search(compiled, { graph: true, limits }, { found: goOn, ended: goOn, fault: () => false, progress: () => {} });
  return found.complete && found.graph ? { worlds, compiled, search: found, graph: found.graph } : undefined;
}

/** The world that these actions lead to. */
export const worldAfter = ({ worlds }: ExploredGraph, actions: readonly Action[]) =>
  actions.reduce((world, action) => worlds.next(world, action), worlds.initial);
