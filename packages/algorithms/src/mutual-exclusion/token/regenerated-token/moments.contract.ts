/** Explores a small system for properties of the largest fencing token so far, and of each node. */
import { type ExploreOptions, exploreSystem, model } from '@conclave/check';
import type { NodeId, PropertyOf, Protocol, SystemView } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

type Worlds = ReturnType<typeof model>['worlds'];
type World = Worlds['initial'];
type Action = ReturnType<Worlds['actions']>[number];

/** A world, and the largest fencing token of all entries so far; 0 before the first. */
export interface Moment {
  readonly world: World;
  readonly view: SystemView;
  readonly largest: number;
}

type MomentProperty = PropertyOf<'always' | 'never' | 'sometimes' | 'eventually', Moment>;

/** For each node by itself: whenever `trigger`, later `response`. */
export interface NodeProperty {
  readonly kind: 'each';
  readonly name: string;
  readonly trigger: (moment: Moment, id: NodeId) => boolean;
  readonly response: (moment: Moment, id: NodeId) => boolean;
}

/** Explores every interleaving of `protocol`; a message to a crashed node is eventually lost. */
export function exploreMoments(
  protocol: Protocol,
  topology: Topology,
  budget: ExploreOptions,
  properties: readonly (MomentProperty | NodeProperty)[],
): ReturnType<typeof exploreSystem<string, string>> {
  const { worlds, options } = model(protocol, topology, budget);
  const moments = new Map<string, Moment>();
  const actions = new Map<string, Action>();
  const at = (key: string) => found(moments, key);
  const keyOf = (world: World, before: number) => {
    const view = worlds.view(world);
    const largest = Math.max(
      before,
      ...view.tagged('critical').map((node) => protocol.fence?.(node) ?? 0),
    );
    const key = `${largest} ${options.serializeState({ world })}`;
    if (!moments.has(key)) moments.set(key, { world, view, largest });
    return key;
  };
  const nameOf = (action: Action) => {
    const name = options.serializeEvent(action);
    actions.set(name, action);
    return name;
  };
  return exploreSystem<string, string>(
    {
      initial: keyOf(worlds.initial, 0),
      actions: (key) => worlds.actions(at(key).world).map(nameOf),
      next: (key, name) => keyOf(worlds.next(at(key).world, found(actions, name)), at(key).largest),
      fair: (name) => (isFair(protocol, found(actions, name)) ? name : undefined),
    },
    {
      properties: properties.flatMap(
        (property): Parameters<typeof exploreSystem<string, string>>[1]['properties'] => {
          if (property.kind !== 'each')
            return [{ ...property, holds: (key: string) => property.holds(at(key)) }];
          return topology.nodes.map((id) => {
            const then = (key: string) => property.response(at(key), id);
            return {
              kind: 'leadsTo',
              name: `${id}: ${property.name}`,
              holds: (key: string) => property.trigger(at(key), id),
              then,
            };
          });
        },
      ),
      fairness: 'weak',
    },
  );
}

function found<V>(map: ReadonlyMap<string, V>, key: string): V {
  const value = map.get(key);
  if (value === undefined) throw new Error('unreachable: every key was made of what it stands for');
  return value;
}

/**
 * The actions that are weakly fair: those of `explore`, and ticks. Messages must take some time, so
 * that no run stands still.
 */
function isFair({ commands }: Protocol, action: Action): boolean {
  if (action.type === 'command') return commands[action.command.type]?.kind === 'obligatory';
  return ['deliver', 'timeout', 'choose', 'tick'].includes(action.type);
}
