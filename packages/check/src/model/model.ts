import type { NodeId, Protocol, Step, SystemView } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import type { ActorLogic, Snapshot, SnapshotFrom } from 'xstate';
import { checkGiven } from '../options/options.js';
import type { Budget } from '../worlds/budget.js';
import { canonical } from '../worlds/canonical.js';
import type { Action, World } from '../worlds/world.js';
import { worldKey } from '../worlds/world-key.js';
import { Worlds } from '../worlds/worlds.js';

/** A small system as one XState actor logic. */
export interface Model {
  /** Its transition system: its worlds, and the actions that lead from one to the next. */
  readonly worlds: {
    readonly protocol: Protocol;
    readonly topology: Topology;
    readonly order: 'fifo' | 'any';
    readonly initial: World;
    /** The actions that are possible, in a fixed order. */
    actions(world: World): readonly Action[];
    /**
     * The world after `action`.
     * @throws {ConclaveError} `unhandled` or `bad-protocol` when a machine breaks the node contract.
     */
    next(world: World, action: Action): World;
    /** Like `next`, with the effects of the acting node. */
    perform(
      world: World,
      action: Action,
    ): { readonly world: World; readonly effects: Step['effects'] };
    /** As properties see it. */
    view(world: World): SystemView;
    /** What node `id` did at its start. */
    startOf(id: NodeId): Step;
  };
  /** The whole system: its events are the actions of the world. */
  readonly logic: ActorLogic<Snapshot<undefined> & { readonly world: World }, Action>;
  /** What a path generator takes besides the logic. */
  readonly options: {
    readonly events: (snapshot: { readonly world: World }) => Action[];
    readonly serializeState: (snapshot: { readonly world: World }) => string;
    readonly serializeEvent: (action: Action) => string;
  };
}

/** A world as an XState snapshot. */
export type ModelSnapshot = SnapshotFrom<Model['logic']>;

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
  return modelOf(new Worlds(protocol, topology, budget));
}

export function modelOf(worlds: Worlds): Model {
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
