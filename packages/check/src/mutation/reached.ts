import { breaksRules, stateNodes } from '@conclave/core/internal';
import type { Protocol } from '@conclave/core/protocol';
import type { AnyTransitionDefinition } from 'xstate';
import { type WatchedMachine, watchMachine } from '../verdicts/coverage.js';
import { LocalNode } from '../worlds/local-node.js';
import type { ExploredGraph } from './labels.js';
import type { Site } from './report.js';
import { definitionsIn, nodeAt } from './statechart.js';

/** The parts of a protocol's statecharts that its explorations have reached. */
export class Reached {
  readonly #machines: ReadonlyMap<string, WatchedMachine>;
  readonly #transitions: ReadonlyMap<
    AnyTransitionDefinition,
    WatchedMachine['transitions'][number]
  >;
  readonly #copy: Protocol;

  constructor(protocol: Protocol) {
    const machines = Object.entries(protocol.roles).map(
      ([name, { machine }]) => [name, watchMachine(machine)] as const,
    );
    this.#machines = new Map(machines);
    this.#transitions = new Map(
      machines.flatMap(([, { machine, transitions }]) =>
        stateNodes(machine)
          // in the order of watched()
          .flatMap((node) => [...[...node.transitions.values()].flat(), ...(node.always ?? [])])
          .flatMap((definition, index) => {
            const note = transitions[index];
            return note ? [[definition, note] as const] : [];
          }),
      ),
    );
    const roles = machines.map(([name, { machine }]) => [
      name,
      { ...protocol.roles[name], machine },
    ]);
    this.#copy = { ...protocol, roles: Object.fromEntries(roles) };
  }

  /** Takes each distinct step of an exploration again, and notes what it reaches. */
  note({ worlds: { topology }, compiled }: Pick<ExploredGraph, 'worlds' | 'compiled'>): void {
    const nodes = new Map(
      topology.nodes.map((id) => [id, new LocalNode(id, this.#copy, topology)]),
    );
    for (const node of nodes.values()) attempt(() => node.start());
    for (const { id, state, action } of compiled.distinctSteps())
      attempt(() => nodes.get(id)?.perform(state, action));
  }

  /** Whether some run has reached `site`. */
  has({ role, path, slot, index, by }: Site): boolean {
    const machine = this.#machines.get(role);
    if (!machine) return true;
    const inside = path.join('.');
    if (by === 'entering' || !slot)
      return machine.states.some(
        ({ path: at, entered }) =>
          entered && (inside === '' || at === inside || at.startsWith(`${inside}.`)),
      );
    const definitions = definitionsIn(nodeAt(machine.machine, path), slot);
    const meant = index === undefined ? definitions : definitions.slice(index, index + 1);
    return meant.some((definition) => {
      const note = this.#transitions.get(definition);
      return note === undefined || note.taken || (by === 'asking' && note.answers.size > 0);
    });
  }
}

/** A step that breaks the rules counts for what it reached before. */
function attempt(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!breaksRules(error)) throw error;
  }
}
