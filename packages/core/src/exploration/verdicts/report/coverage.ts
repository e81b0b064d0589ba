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
import { coverageOf, type RoleCoverage, type RoleUsage } from './role-usage.js';
import { innermostPaths, type WatchedMachine, watchMachine } from './watched-machine.js';

/** The time of a machine step, measured in table look-ups. */
const stepWeight = 32;

/**
 * Which parts of its machines an exploration has used.
 * @throws {LimitReached}
 */
export const coverage = (...given: Parameters<typeof usageOf>): readonly RoleCoverage[] =>
  usageOf(...given).map(coverageOf);

/**
 * Which parts of its machines an exploration has used, to be joined: a copy of each machine repeats each distinct
 * step and records what it uses. Guards inside actions (`check` in `enqueueActions`) are not
 * covered.
 *
 * `stepper` takes the steps; each of them was confirmed by XState before.
 *
 * @throws {LimitReached}
 */
export function usageOf(
  explored: Pick<CompiledWorlds, 'worlds' | 'distinctSteps'>,
  watch?: Watch,
  stepper: Stepper = byPlan,
): readonly RoleUsage[] {
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

  report(): RoleUsage {
    const { transitions, states } = this.#watched;
    return {
      role: this.name,
      transitions: transitions.map(({ text, taken, answers }) => ({
        text,
        taken,
        answers: [...answers],
      })),
      states: states.map(({ path, entered }) => ({ path, entered })),
      handled: this.#handled,
      delivered: [...this.#delivered],
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
