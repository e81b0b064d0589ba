/** The slow and simple definition of the results, which keeps a text per world. */
import type { Protocol } from '../protocol/protocol.js';
import { breaksRules, violatedBy } from '../protocol/unhandled-messages.js';
import { waitingOf } from '../protocol/waiting.js';
import type { Topology } from '../topology/topology.js';
import type { ExploreOptions } from './options.js';
import { askable, probes } from './systems.contract.js';
import { standardProperties } from './verdicts/compiled-properties.js';
import { viewOf } from './worlds/view.js';
import { type World, worldKey } from './worlds/world.js';
import { Worlds } from './worlds/worlds.js';

export interface Truth {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** For each property: the distance of the nearest world that decides it. */
  readonly nearest: ReadonlyMap<string, number>;
}

/**
 * A search over {@link Worlds}, breadth-first and by definition, for properties of single worlds;
 * default: the {@link probes}.
 */
export function truthOf(
  protocol: Protocol,
  topology: Topology,
  options: ExploreOptions,
  properties = probes,
): Truth {
  const worlds = new Worlds(protocol, topology, options);
  const asked = askable(protocol, properties);
  const waits = waitingOf(protocol);
  const open: { readonly world: World; readonly depth: number }[] = [];
  const known = new Set<string>();
  const nearest = new Map<string, number>();
  const decide = (name: string, depth: number) => nearest.has(name) || nearest.set(name, depth);
  let transitions = 0;
  const meet = (world: World, depth: number) => {
    const key = worldKey(world, worlds.order);
    if (known.has(key)) return;
    known.add(key);
    open.push({ world, depth });
  };
  meet(worlds.initial, 0);
  for (const { world, depth } of open) {
    const view = viewOf(protocol, topology, world);
    for (const property of asked)
      if (
        'holds' in property &&
        property.kind !== 'leadsTo' &&
        property.holds(view) === (property.kind !== 'always')
      )
        decide(property.name, depth);
    const actions = worlds.actions(world);
    for (const action of actions) {
      let next: World;
      try {
        next = worlds.next(world, action);
      } catch (error) {
        if (!breaksRules(error)) throw error;
        decide(violatedBy(error), depth);
        continue;
      }
      transitions++;
      meet(next, depth + 1);
    }
    if (actions.length === 0 && waits && view.nodes.some((node) => !node.crashed && waits(node)))
      decide(standardProperties[1] ?? '', depth);
  }
  return { states: known.size, transitions, depth: open.at(-1)?.depth ?? 0, nearest };
}
