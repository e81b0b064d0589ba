import type { ActorLogic, Snapshot } from 'xstate';
import { checkGiven } from '../../options/shapes.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { Topology } from '../../topology/topology.js';
import type { Budget } from '../worlds/budget.js';
import { canonical } from '../worlds/canonical.js';
import { type Action, type World, worldKey } from '../worlds/world.js';
import { Worlds } from '../worlds/worlds.js';

/** A world as an XState snapshot. */
export type ModelSnapshot = Snapshot<undefined> & { readonly world: World };

/** The whole system as actor logic: its events are the actions of the world. */
export type ModelLogic = ActorLogic<ModelSnapshot, Action>;

/** The options that a path generator takes besides the logic. */
export interface ModelOptions {
  readonly events: (snapshot: ModelSnapshot) => Action[];
  readonly serializeState: (snapshot: ModelSnapshot) => string;
  readonly serializeEvent: (action: Action) => string;
}

export interface Model {
  readonly worlds: Worlds;
  readonly logic: ModelLogic;
  readonly options: ModelOptions;
}

/**
 * A small system (its nodes, channel contents and armed timers) as one XState actor logic: for
 * `@xstate/test`, `xstate/graph` or an actor.
 *
 * @throws {ConclaveError} `bad-topology`, `bad-input`.
 * @example
 * const { logic, options } = model(ricartAgrawala, complete(2));
 * new TestModel(logic, options).getShortestPaths();
 */
export function model(protocol: Protocol, topology: Topology, budget: Budget = {}): Model {
  checkGiven('model', { protocol, topology });
  const worlds = new Worlds(protocol, topology, budget);
  const snapshotOf = (world: World): ModelSnapshot => ({
    status: 'active',
    output: undefined,
    error: undefined,
    world,
  });
  return {
    worlds,
    logic: {
      getInitialSnapshot: () => snapshotOf(worlds.initial),
      transition: ({ world }, action) => snapshotOf(worlds.next(world, action)),
      getPersistedSnapshot: (snapshot) => snapshot,
    },
    options: {
      events: ({ world }) => [...worlds.actions(world)],
      serializeState: ({ world }) => worldKey(world, worlds.order),
      serializeEvent: canonical,
    },
  };
}
