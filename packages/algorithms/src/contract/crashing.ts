/** What becomes of a small system, in every interleaving, where only certain nodes may crash, and only at certain moments. */
import {
  type Action,
  type Budget,
  canonical,
  exploreSystem,
  type PlainOptions,
  viewOf,
  type World,
  Worlds,
  worldKey,
} from '@conclave/core/exploration';
import type { NodeView, Protocol, SystemView, Verdict } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

export interface Crashing extends Omit<Budget, 'crashes' | 'restarts'> {
  /** Whether a node may crash where it is now. One does at most. */
  readonly mayCrash: (node: NodeView, system: SystemView) => boolean;
}

export interface CrashFindings {
  readonly states: number;
  readonly complete: boolean;
  /** By the protocol's property; a `leadsTo` of each node by itself, such as `b: every node that wants to enter does so in the end`. */
  readonly verdicts: Readonly<Record<string, Verdict>>;
  /** By property: how many steps its shortest run has, where there is one. */
  readonly steps: Readonly<Record<string, number>>;
}

/** Explores `protocol` with one crash, of whom and when `mayCrash` allows. `atMost` and `increases` are not judged. */
export function exploreCrashes(protocol: Protocol, topology: Topology, { mayCrash, ...budget }: Crashing): CrashFindings {
  const worlds = new Worlds(protocol, topology, { ...budget, crashes: 1 });
  const known = new Map<string, { readonly world: World; readonly view: SystemView }>();
  const actions = new Map<string, Action>();
  const at = (key: string) => {
    const found = known.get(key);
    if (!found) throw new Error('unreachable: every key was made of a world');
    return found;
  };
  const keyOf = (world: World) => {
    const key = worldKey(world, worlds.order);
    if (!known.has(key)) known.set(key, { world, view: viewOf(protocol, topology, world) });
    return key;
  };
  const allowed = (key: string, action: Action) => action.type !== 'crash' || mayCrash(at(key).view.node(action.node), at(key).view);
  const named = (action: Action) => {
    const name = canonical(action);
    actions.set(name, action);
    return name;
  };
  const actionOf = (name: string) => {
    const found = actions.get(name);
    if (!found) throw new Error('unreachable: every name was made of an action');
    return found;
  };
  const { states, complete, properties } = exploreSystem<string, string>(
    {
      initial: keyOf(worlds.initial),
      actions: (key) =>
        worlds
          .actions(at(key).world)
          .filter((action) => allowed(key, action))
          .map(named),
      next: (key, name) => keyOf(worlds.next(at(key).world, actionOf(name))),
      fair: (name) => (isFair(protocol, actionOf(name)) ? name : undefined),
    },
    {
      properties: protocol.properties.flatMap((property): PlainOptions<string>['properties'] => {
        if (property.kind === 'atMost' || property.kind === 'increases') return [];
        if (property.kind !== 'leadsTo') return [{ ...property, holds: (key: string) => property.holds(at(key).view) }];
        return topology.nodes.map((id) => {
          const node = (key: string) => at(key).view.node(id);
          const then = (key: string) => node(key).crashed || property.then(node(key));
          return { kind: property.kind, name: `${id}: ${property.name}`, holds: (key: string) => property.holds(node(key)), then };
        });
      }),
    },
  );
  return {
    states,
    complete,
    verdicts: Object.fromEntries(properties.map(({ name, verdict }) => [name, verdict])),
    steps: Object.fromEntries(properties.flatMap(({ name, path }) => (path ? [[name, path.length]] : []))),
  };
}

/** What may not be put off for ever, as in `explore`: not the wishes, and no faults. */
function isFair({ commands }: Protocol, action: Action): boolean {
  if (action.type === 'command') return commands[action.command.type]?.kind === 'duty';
  return action.type === 'deliver' || action.type === 'timeout' || action.type === 'choose';
}
