import { ConclaveError } from '../../protocol/error.js';
import { matches } from '../../protocol/handles.js';
import type { Message } from '../../protocol/node.js';
import { type Protocol, type Role, roleOf } from '../../protocol/protocol.js';
import { stateNodes } from '../../protocol/state-nodes.js';
import type { LocalState } from '../../protocol/step.js';
import type { CompiledWorlds } from '../compiled/compiled.js';
import { LocalNode } from '../worlds/local-node.js';
import { innermostPaths, type WatchedMachine, watched } from './watched-machine.js';

/** What of one role's statechart an exploration has used, and what not. */
export interface RoleCoverage {
  readonly role: string;
  /** How many transitions it has, and how many of them were taken. */
  readonly transitions: number;
  readonly taken: number;
  /** Those never taken, such as `released.away: always [tokenIsHere] → released.here`. */
  readonly missed: readonly string[];
  readonly guards: GuardCoverage;
  /** Innermost states never entered, not even on the way to another one. */
  readonly unentered: readonly string[];
  /** Messages that the role handles somewhere and that never came in an innermost state it was in, such as `wanted: reply`. */
  readonly undelivered: readonly string[];
}

/** What the guards of transitions have answered. One that was never asked is in neither list: its transition is among the missed. */
export interface GuardCoverage {
  /** How many were asked at least once. */
  readonly asked: number;
  /** Those that were asked and never true, by their transitions: such as `wanted: request [oursIsOlder]`. */
  readonly neverTrue: readonly string[];
  readonly neverFalse: readonly string[];
}

/**
 * What of its machines an exploration has used: each distinct step is taken once more by a copy of the machine that takes note. Guards that
 * actions ask (`check` in `enqueueActions`) are not judged.
 */
export function coverage(explored: Pick<CompiledWorlds, 'worlds' | 'distinctSteps'>): readonly RoleCoverage[] {
  const { protocol, topology } = explored.worlds;
  const messages = Object.keys(protocol.messages);
  const usage = new Map(Object.entries(protocol.roles).map(([name, role]) => [name, new Usage(name, role, messages)]));
  const copy: Protocol = { ...protocol, roles: Object.fromEntries([...usage].map(([name, { role }]) => [name, role])) };
  const nodes = new Map(topology.nodes.map((id) => [id, new LocalNode(id, copy, topology)]));
  for (const node of nodes.values()) attempt(() => node.start());
  for (const { id, state, action } of explored.distinctSteps()) {
    if (action.type === 'deliver') usage.get(roleOf(protocol, id, topology).name)?.deliver(state, action.message);
    const node = nodes.get(id);
    if (node) attempt(() => node.perform(state, action));
  }
  return [...usage.values()].map((role) => role.report());
}

/** What of one role was used. */
class Usage {
  /** The role with a machine that takes note. */
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
    this.#watched = watched(role.machine);
    this.role = { ...role, machine: this.#watched.machine };
    const descriptors = stateNodes(role.machine).flatMap(({ transitions }) => [...transitions.keys()]);
    this.#handled = messages.filter((type) => descriptors.some((descriptor) => matches(descriptor, type)));
  }

  deliver({ value }: LocalState, { type }: Message): void {
    for (const path of innermostPaths(this.#watched.machine.root, value)) this.#delivered.add(`${path}: ${type}`);
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

/** A step that breaks the rules is told as a violation; what was done before it broke them counts. */
function attempt(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof ConclaveError)) throw error;
  }
}
