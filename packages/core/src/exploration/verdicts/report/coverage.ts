import { ConclaveError } from '../../../base/error.js';
import { byPlan, type Stepper } from '../../../protocol/compiled/stepper.js';
import { matches } from '../../../protocol/handles.js';
import type { Message } from '../../../protocol/node.js';
import { type Protocol, type Role, roleOf } from '../../../protocol/protocol.js';
import { stateNodes } from '../../../protocol/state-nodes.js';
import type { LocalState } from '../../../protocol/step.js';
import type { Watch } from '../../search/limits/watch.js';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import { LocalNode } from '../../worlds/local-node.js';
import { innermostPaths, type WatchedMachine, watchMachine } from './watched-machine.js';

/** Which parts of a role's statechart an exploration has used. */
export interface RoleCoverage {
  readonly role: string;
  /** How many transitions it has, and how many of them were taken. */
  readonly transitions: number;
  readonly taken: number;
  /**
   * The transitions that were never taken, such as
   * `released.away: always [tokenIsHere] → released.here`.
   */
  readonly missed: readonly string[];
  /**
   * The results of guards. A guard that was never evaluated is in neither list: its transition is
   * among the missed.
   */
  readonly guards: {
    /** How many were evaluated at least once. */
    readonly asked: number;
    /**
     * Those that were evaluated and never true, by their transitions: such as
     * `wanted: request [oursIsOlder]`.
     */
    readonly neverTrue: readonly string[];
    readonly neverFalse: readonly string[];
  };
  /** Innermost states that were never entered. */
  readonly unentered: readonly string[];
  /**
   * Messages that the role handles in some state but that never arrived in this one, such as
   * `wanted: reply`.
   */
  readonly undelivered: readonly string[];
}

/** The time of a machine step, measured in table look-ups. */
const stepWeight = 32;

/**
 * Which parts of its machines an exploration has used: a copy of each machine repeats each distinct
 * step and records what it uses. Guards inside actions (`check` in `enqueueActions`) are not
 * covered.
 *
 * `stepper` takes the steps; each of them was confirmed by XState before.
 *
 * @throws {LimitReached}
 */
export function coverage(
  explored: Pick<CompiledWorlds, 'worlds' | 'distinctSteps'>,
  watch?: Watch,
  stepper: Stepper = byPlan,
): readonly RoleCoverage[] {
  const { protocol, topology } = explored.worlds;
  const messages = Object.keys(protocol.messages);
  const usage = new Map(
    Object.entries(protocol.roles).map(([name, role]) => [name, new Usage(name, role, messages)]),
  );
  const copy: Protocol = {
    ...protocol,
    roles: Object.fromEntries([...usage].map(([name, { role }]) => [name, role])),
  };
  const nodes = new Map(
    topology.nodes.map((id) => [id, new LocalNode(id, copy, topology, stepper)]),
  );
  for (const node of nodes.values()) attempt(() => node.start());
  for (const { id, state, action } of explored.distinctSteps()) {
    watch?.tick(stepWeight);
    if (action.type === 'deliver')
      usage.get(roleOf(protocol, id, topology).name)?.deliver(state, action.message);
    const node = nodes.get(id);
    if (node) attempt(() => node.perform(state, action));
  }
  return [...usage.values()].map((role) => role.report());
}

/** The used parts of one role. */
class Usage {
  /** The role with a recording machine. */
  readonly role: Role;
  readonly #watched: WatchedMachine;
  /** The messages that some state handles. */
  readonly #handled: readonly string[];
  /** Such as `wanted: reply`. */
  readonly #delivered = new Set<string>();

  constructor(
    readonly name: string,
    role: Role,
    messages: readonly string[],
  ) {
    this.#watched = watchMachine(role.machine);
    this.role = { ...role, machine: this.#watched.machine };
    const descriptors = stateNodes(role.machine).flatMap(({ transitions }) => [
      ...transitions.keys(),
    ]);
    this.#handled = messages.filter((type) =>
      descriptors.some((descriptor) => matches(descriptor, type)),
    );
  }

  deliver({ value }: LocalState, { type }: Message): void {
    for (const path of innermostPaths(this.#watched.machine.root, value))
      this.#delivered.add(`${path}: ${type}`);
  }

  report(): RoleCoverage {
    const { transitions, states } = this.#watched;
    const missed = transitions.filter(({ taken }) => !taken);
    const asked = transitions.filter(({ answers }) => answers.size > 0);
    const entered = states.filter((state) => state.entered);
    const pairs = entered.flatMap(({ path }) => this.#handled.map((type) => `${path}: ${type}`));
    return {
      role: this.name,
      transitions: transitions.length,
      taken: transitions.length - missed.length,
      missed: missed.map(({ text }) => text),
      guards: {
        asked: asked.length,
        neverTrue: asked.filter(({ answers }) => !answers.has(true)).map(({ text }) => text),
        neverFalse: asked.filter(({ answers }) => !answers.has(false)).map(({ text }) => text),
      },
      unentered: states.filter((state) => !state.entered).map(({ path }) => path),
      undelivered: pairs.filter((pair) => !this.#delivered.has(pair)),
    };
  }
}

/**
 * Ignores a step that fails, which is reported as a violation; what it used before it failed
 * counts.
 */
function attempt(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof ConclaveError)) throw error;
  }
}
