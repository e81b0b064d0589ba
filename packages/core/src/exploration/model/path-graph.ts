import { getAdjacencyMap } from 'xstate/graph';
import { ConclaveError } from '../../base/error.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { Topology } from '../../topology/topology.js';
import { Interner } from '../search/tables/interner.js';
import { watchMachine } from '../verdicts/report/watched-machine.js';
import { actionText } from '../worlds/action-text.js';
import type { Budget } from '../worlds/budget.js';
import { nextOrFault } from '../worlds/next-or-fault.js';
import type { Action } from '../worlds/world.js';
import { Worlds } from '../worlds/worlds.js';
import { type Model, type ModelSnapshot, modelOf } from './model.js';

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
  bounds: Bounds,
): PathGraph {
  return new PathFinder(protocol, topology, budget, bounds).graph();
}

class PathFinder {
  readonly #recording: ReturnType<typeof recordTransitions>;
  readonly #system: Worlds;
  readonly #model: Model;
  /** The positions of the transitions that the start takes. */
  readonly #started: readonly number[];
  /** Worlds and actions by their texts. */
  readonly #worlds = new Interner<string>();
  readonly #texts = new Interner<string>();
  readonly #known = new WeakMap<ModelSnapshot, number>();
  readonly #steps = new WeakMap<Action, PathEdge & { readonly next: ModelSnapshot }>();
  #limit: PathGraph['limit'];
  #fault: ConclaveError | undefined;

  constructor(
    private readonly protocol: Protocol,
    topology: Topology,
    budget: Budget,
    private readonly bounds: Bounds,
  ) {
    this.#recording = recordTransitions(protocol);
    this.#system = new Worlds(this.#recording.copy, topology, budget);
    this.#model = modelOf(this.#system);
    this.#started = this.#recording.takeNotes();
  }

  graph(): PathGraph {
    const { logic, options } = this.#model;
    const adjacency = getAdjacencyMap(
      { ...logic, transition: (snapshot, action) => this.#steps.get(action)?.next ?? snapshot },
      {
        ...options,
        events: (snapshot) => this.#possible(snapshot),
        serializeState: (snapshot) =>
          `world ${this.#known.get(snapshot) ?? this.#numberOf(snapshot)}`,
      },
    );
    const edges: (readonly PathEdge[])[] = [];
    for (const { state, transitions: leaving } of Object.values(adjacency)) {
      const events = Object.values<{ readonly event: Action }>(leaving).map(({ event }) => event);
      edges[this.#known.get(state) ?? 0] = events.flatMap((event) => this.#steps.get(event) ?? []);
    }
    const { clockwork } = this.#system;
    return {
      ...{ edges, transitions: this.#recording.transitions },
      ...{ texts: this.#texts.items, started: this.#started },
      ...(clockwork && { tick: clockwork.tick }),
      ...(this.#limit && { limit: this.#limit }),
      ...(this.#fault && { fault: this.#fault }),
    };
  }

  /** The actions of a world that do not fail; none once a limit is reached. */
  #possible(snapshot: ModelSnapshot): Action[] {
    const { worlds: most, stop, onWorld } = this.bounds;
    if (!this.#limit && stop?.()) this.#limit = 'interrupted';
    if (!this.#limit && this.#worlds.items.length > most) this.#limit = 'worlds';
    if (this.#limit) return [];
    onWorld?.(this.#worlds.items.length);
    return this.#system
      .actions(snapshot.world)
      .filter((action, number) => this.#take(snapshot, action, number));
  }

  /** Notes the step of an action; false if it fails. */
  #take(snapshot: ModelSnapshot, action: Action, number: number): boolean {
    const { takeNotes } = this.#recording;
    takeNotes();
    const world = nextOrFault(this.#system, snapshot.world, action);
    if (world instanceof ConclaveError) {
      this.#fault ??= world;
      return false;
    }
    const next = { ...snapshot, world };
    const text = actionText(this.protocol, action);
    this.#steps.set(action, {
      ...{ next, number, taken: takeNotes(), target: this.#numberOf(next) },
      text: this.#texts.id(text, () => text),
    });
    return true;
  }

  #numberOf(snapshot: ModelSnapshot): number {
    const text = this.#model.options.serializeState(snapshot);
    const number = this.#worlds.id(text, () => text);
    this.#known.set(snapshot, number);
    return number;
  }
}

/**
 * A copy of a protocol whose machines record the transitions that they take, and what returns the
 * positions of those taken since the last time.
 */
function recordTransitions(protocol: Protocol) {
  const roles = Object.entries(protocol.roles).map(([name, role]) => ({
    name,
    role,
    ...watchMachine(role.machine),
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
