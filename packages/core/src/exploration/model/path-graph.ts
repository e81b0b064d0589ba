import { getAdjacencyMap } from 'xstate/graph';
import { ConclaveError } from '../../base/error.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { Topology } from '../../topology/topology.js';
import { watched } from '../verdicts/report/watched-machine.js';
import { actionText } from '../worlds/action-text.js';
import type { Budget } from '../worlds/budget.js';
import { nextOrFault } from '../worlds/next-or-fault.js';
import type { Action } from '../worlds/world.js';
import { type ModelSnapshot, model } from './model.js';

/** A transition of a role's statechart. */
export interface RoleTransition {
  readonly role: string;
  /** Such as `released.away: always [tokenIsHere] → released.here`. */
  readonly text: string;
}

/** A step between two worlds. */
export interface PathEdge {
  /** The number of the world that it leads to. */
  readonly target: number;
  /** The position of the action among those of its world. */
  readonly number: number;
  /** The position of its text. */
  readonly text: number;
  /** The positions of the transitions that it takes. */
  readonly taken: readonly number[];
}

/** The worlds of a system and the steps between them, as far as the limits allow. */
export interface PathGraph {
  /** By world, in the order in which they were found; world 0 is the initial one. */
  readonly edges: readonly (readonly PathEdge[])[];
  readonly transitions: readonly RoleTransition[];
  /** What the actions are called; each text once. */
  readonly texts: readonly string[];
  /** The positions of the transitions that the start takes. */
  readonly started: readonly number[];
  /** In exact time: the step of time in milliseconds. */
  readonly tick?: number;
  /** Set if worlds were left out. */
  readonly limit?: 'worlds' | 'interrupted';
  /** Why the first action failed that did: it is in no path. */
  readonly fault?: ConclaveError;
}

interface Bounds {
  readonly worlds: number;
  readonly stop?: (() => boolean) | undefined;
  readonly onWorld?: ((worlds: number) => void) | undefined;
}

/**
 * The graph of a system, as `xstate/graph` finds it for a model test. Copies of the machines record
 * the transitions that each step takes.
 *
 * @throws {ConclaveError} `bad-topology`, `bad-input`.
 */
export function pathGraph(
  protocol: Protocol,
  topology: Topology,
  budget: Budget,
  { worlds: most, stop, onWorld }: Bounds,
): PathGraph {
  const { copy, transitions, takeNotes } = recording(protocol);
  const { worlds, logic, options } = model(copy, topology, budget);
  const started = takeNotes();
  const numbers = new Map<string, number>(); // by the text of a world
  const known = new WeakMap<ModelSnapshot, number>();
  const numberOf = (snapshot: ModelSnapshot): number => {
    const text = options.serializeState(snapshot);
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    known.set(snapshot, number);
    return number;
  };
  const steps = new WeakMap<Action, PathEdge & { readonly next: ModelSnapshot }>();
  const texts = new Map<string, number>();
  const textOf = (action: Action): number => {
    const text = actionText(protocol, action);
    const position = texts.get(text) ?? texts.size;
    texts.set(text, position);
    return position;
  };
  let limit: PathGraph['limit'];
  let fault: ConclaveError | undefined;

  const possible = (snapshot: ModelSnapshot): Action[] => {
    if (!limit && stop?.()) limit = 'interrupted';
    if (!limit && numbers.size > most) limit = 'worlds';
    if (limit) return [];
    onWorld?.(numbers.size);
    return worlds.actions(snapshot.world).filter((action, number) => {
      takeNotes();
      const world = nextOrFault(worlds, snapshot.world, action);
      if (world instanceof ConclaveError) {
        fault ??= world;
        return false;
      }
      const next = { ...snapshot, world };
      steps.set(action, {
        next,
        number,
        text: textOf(action),
        taken: takeNotes(),
        target: numberOf(next),
      });
      return true;
    });
  };
  const adjacency = getAdjacencyMap(
    { ...logic, transition: (snapshot, action) => steps.get(action)?.next ?? snapshot },
    {
      ...options,
      events: possible,
      serializeState: (snapshot) => `world ${known.get(snapshot) ?? numberOf(snapshot)}`,
    },
  );
  const edges: (readonly PathEdge[])[] = [];
  for (const { state, transitions: leaving } of Object.values(adjacency)) {
    const events = Object.values<{ readonly event: Action }>(leaving).map(({ event }) => event);
    edges[known.get(state) ?? 0] = events.flatMap((event) => steps.get(event) ?? []);
  }
  const { clockwork } = worlds;
  return {
    ...{ edges, transitions, texts: [...texts.keys()], started },
    ...(clockwork && { tick: clockwork.tick }),
    ...(limit && { limit }),
    ...(fault && { fault }),
  };
}

/**
 * A copy of a protocol whose machines record the transitions that they take, and what returns the
 * positions of those taken since the last time.
 */
function recording(protocol: Protocol) {
  const roles = Object.entries(protocol.roles).map(([name, role]) => ({
    name,
    role,
    ...watched(role.machine),
  }));
  const copy: Protocol = {
    ...protocol,
    roles: Object.fromEntries(roles.map(({ name, role, machine }) => [name, { ...role, machine }])),
  };
  const recorded = roles.flatMap(({ name, transitions }) =>
    transitions.map((transition) => ({ role: name, transition })),
  );
  return {
    copy,
    transitions: recorded.map(
      ({ role, transition }): RoleTransition => ({ role, text: transition.text }),
    ),
    takeNotes: (): readonly number[] => {
      const taken: number[] = [];
      for (const [position, { transition }] of recorded.entries()) {
        if (transition.taken) taken.push(position);
        transition.taken = false;
      }
      return taken;
    },
  };
}
