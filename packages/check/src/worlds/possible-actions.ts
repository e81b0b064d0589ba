import { breaksRules, faults, groupsOf, partialSends, stops } from '@conclave/core/internal';
import type { Command, LocalState, Message, NodeId, Step } from '@conclave/core/protocol';
import type { Link, Topology } from '@conclave/core/topology';
import type { Budget } from './budget.js';
import { canonical, sameData } from './canonical.js';
import type { Application } from './commands.js';
import {
  applicationOf,
  canArrive,
  crosses,
  duesOf,
  isDue,
  localOf,
  nextOf,
  unsentOf,
} from './in-flight.js';
import type { LocalNode } from './local-node.js';
import type { NodeClock } from './time.js';
import {
  type Action,
  actorOf,
  type CrashInside,
  isStep,
  type StepAction,
  type Timer,
  type World,
} from './world.js';

/** The worlds of which the actions are: what it takes to tell what can happen. */
interface Worlds {
  readonly topology: Topology;
  readonly budget: Budget;
  readonly order: 'fifo' | 'any';
  readonly crashesInside: boolean;
  /** The links within one process. */
  readonly inProcess: readonly Link[];
  /** The sides to which the network may split. */
  readonly sides: readonly (readonly NodeId[])[];
  readonly isNotice: (message: Message) => boolean;
  node(id: NodeId): LocalNode;
  startOf(id: NodeId): Step;
  mayCrash(id: NodeId, state: LocalState): boolean;
  commandsFor(
    node: LocalNode,
    state: LocalState,
    application: Application,
    clock: NodeClock | undefined,
  ): readonly Command[];
  dueTimers(state: LocalState, clock: NodeClock | undefined): readonly Timer[];
  /** The world one tick later; undefined if no time can pass. */
  later(world: World): World | undefined;
}

/**
 * What can happen in a world, in a fixed order: crashes in the middle of a step come last. A choice
 * is answered first, and what was sent within one process is taken next; see {@link insideActions}.
 */
export function possibleActions(worlds: Worlds, world: World): readonly Action[] {
  const [choice] = world.choosing;
  const actions: readonly Action[] = choice
    ? choice.options.map((value) => ({ type: 'choose', node: choice.node, value }))
    : isBusyInside(worlds, world)
      ? insideActions(worlds, world)
      : [
          ...commandActions(worlds, world),
          ...messageActions(worlds, world),
          ...nodeActions(worlds, world),
          ...networkActions(worlds, world),
          ...(worlds.later(world) ? [{ type: 'tick' } as const] : []),
        ];
  return worlds.crashesInside && world.remaining.crashes > 0
    ? [...actions, ...crashesInside(worlds, world, actions)]
    : actions;
}

const isBusyInside = ({ inProcess }: Worlds, { channels }: World): boolean =>
  inProcess.some(({ from, to }) => (channels[`${from}→${to}`] ?? []).length > 0);

/**
 * What can happen to messages within one process. Where a node is being stopped, what it has sent may
 * be lost, and what was sent to it before the stop: XState drops them from its queues, unless the
 * receiver has them.
 */
const insideActions = (worlds: Worlds, world: World): readonly Action[] =>
  worlds.inProcess.flatMap((link) => {
    const back = world.channels[`${link.to}→${link.from}`] ?? [];
    const mayLose = back.some(stops) || losesHead(world.channels[`${link.from}→${link.to}`] ?? []);
    return nextOf(world, link, worlds.order).flatMap((parcel): readonly Action[] => [
      { type: 'deliver', ...parcel },
      ...(mayLose ? [{ type: 'drop', ...parcel } as const] : []),
    ]);
  });

/** Whether a message that is no stop is ahead of one. */
export const losesHead = ([head, ...behind]: readonly Message[]): boolean =>
  head !== undefined && !stops(head) && behind.some(stops);

/** The link from the receiver of a link to its sender: within one process there is one. */
export const backOf = (links: readonly Link[], { from, to }: Link): Link =>
  links.find((link) => link.from === to && link.to === from) as Link;

function commandActions(worlds: Worlds, world: World): readonly Action[] {
  return worlds.topology.nodes.flatMap((node) => {
    if (world.crashed.includes(node)) return [];
    const possible = worlds.commandsFor(
      worlds.node(node),
      localOf(world, node),
      applicationOf(world, node),
      world.clocks?.nodes[node],
    );
    return possible.map((command): Action => ({ type: 'command', node, command }));
  });
}

function messageActions(worlds: Worlds, world: World): readonly Action[] {
  const { remaining } = world;
  const left = faults.channelFaultRows.filter(({ count }) => remaining[count] > 0);
  const others = left.flatMap(({ action }) => (action === 'drop' ? [] : [action]));
  return worlds.topology.links.flatMap((link) => {
    const arrives = canArrive(world, link);
    const next = nextOf(world, link, worlds.order).flatMap((parcel): Action[] => [
      ...(isDue(parcel) && arrives ? [{ type: 'deliver', ...parcel } as const] : []),
      ...(remaining.losses > 0 || (isDue(parcel) && !arrives)
        ? [{ type: 'drop', ...parcel } as const]
        : []),
      ...(crosses(world.cut, link) ? [] : others.map((type) => ({ type, ...parcel }))),
    ]);
    return worlds.budget.unsent && world.crashed.includes(link.from)
      ? [...next, ...unsentActions(worlds, world, link)]
      : next;
  });
}

/** A crash has lost what its node sent before: on a `fifo` channel the newest message, else any. */
function unsentActions(
  { isNotice, order }: Worlds,
  world: World,
  { from, to }: Link,
): readonly Action[] {
  const key = `${from}→${to}`;
  const messages = world.channels[key] ?? [];
  const dues = duesOf(world, key);
  const isSame = (one: number, other: number) =>
    sameData(messages[one], messages[other]) && sameData(dues[one] ?? {}, dues[other] ?? {});
  return unsentOf(messages, { isNotice, isSame, order }).map((unsent) => {
    const due = dues[unsent];
    return {
      type: 'drop',
      from,
      to,
      message: messages[unsent] as Message,
      ...(due && { due }),
      unsent,
    }; // its own position
  });
}

function nodeActions(worlds: Worlds, world: World): readonly Action[] {
  const { crashes, restarts } = world.remaining;
  return worlds.topology.nodes.flatMap((node): Action[] => {
    if (world.crashed.includes(node)) return restarts > 0 ? [{ type: 'restart', node }] : [];
    const state = localOf(world, node);
    const timeouts = worlds
      .dueTimers(state, world.clocks?.nodes[node])
      .map(({ id }): Action => ({ type: 'timeout', node, timer: id }));
    return crashes > 0 && worlds.mayCrash(node, state)
      ? [...timeouts, { type: 'crash', node }]
      : timeouts;
  });
}

function networkActions({ sides }: Worlds, { cut, remaining }: World): readonly Action[] {
  if (cut.length > 0) return [{ type: 'heal' }];
  return remaining.partitions > 0 ? sides.map((side): Action => ({ type: 'split', side })) : [];
}

/**
 * The crashes in the middle of a step: those in the middle of `actions`, then those in the middle
 * of a start.
 */
function crashesInside(
  worlds: Worlds,
  world: World,
  actions: readonly Action[],
): readonly Action[] {
  const [, ...open] = world.choosing;
  const inside = (
    node: NodeId,
    during: CrashInside['during'],
    taken: Step | undefined,
  ): readonly Action[] => {
    const isAsked = during.type === 'choose' && open.some((choice) => choice.node === node);
    return taken
      ? partsOf(worlds, node, taken, isAsked).map((lost) => ({ type: 'crash', node, during, lost }))
      : [];
  };
  return [
    ...actions
      .filter(isStep)
      .flatMap((during) => inside(actorOf(during), during, stepTaken(worlds, world, during))),
    ...(world.starting ?? []).flatMap((node) =>
      inside(node, { type: 'start' }, worlds.startOf(node)),
    ),
  ];
}

/** The step of a node; undefined if it fails. */
function stepTaken(worlds: Worlds, world: World, action: StepAction): Step | undefined {
  const id = actorOf(action);
  try {
    return worlds.node(id).perform(localOf(world, id), action);
  } catch (error) {
    if (breaksRules(error)) return undefined;
    throw error;
  }
}

/**
 * What a crash in the middle of a step may lose of its sends, as positions among them:
 * {@link partialSends}. To lose nothing is a crash after the step, unless the node still has to
 * choose: it opens a choice, or (`isAsked`) others are open. Choices are answered before anything
 * else happens.
 */
export function partsOf(
  worlds: Worlds,
  id: NodeId,
  { state, effects }: Step,
  isAsked = false,
): readonly (readonly number[])[] {
  const chooses = isAsked || effects.some(({ type }) => type === 'choose');
  const groups = groupsOf(effects, worlds.order, ({ to, message }) => canonical([to, message]));
  if ((groups.length === 0 && !chooses) || !worlds.mayCrash(id, state)) return [];
  return partialSends(groups).filter((lost) => chooses || lost.length > 0);
}
