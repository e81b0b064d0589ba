import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode, StateValue } from 'xstate';
import { inDocumentOrder, requireLegal, stateNodes } from '../regions.js';
import type { Active } from './recorder.js';
import type { Configuration } from './situation.js';

type Status = Configuration['status'];

/**
 * A configuration by numbers of state nodes. Within a macrostep its nodes and its history are in
 * the order in which XState has them.
 */
export interface NumberedConfiguration extends Active {
  readonly value: StateValue;
  readonly status: Status;
}

const byTags = new WeakMap<readonly string[], Configuration>();

/** The configuration whose list of tags is this very list. */
export const configurationWith = (tags: readonly string[]): Configuration | undefined =>
  byTags.get(tags);

/** The configurations of one machine. */
export class Configurations {
  readonly nodes: readonly AnyStateNode[];
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #byKey = new Map<string, Configuration>();
  readonly #byText = new Map<string, Configuration>();
  /** By number. */
  readonly #all: Configuration[] = [];
  readonly #numbered: NumberedConfiguration[] = [];

  constructor(private readonly machine: AnyStateMachine) {
    this.nodes = stateNodes(machine);
    this.#numbers = new Map(this.nodes.map(({ id }, number) => [id, number]));
  }

  numberOf(id: string): number | undefined {
    return this.#numbers.get(id);
  }

  /** The place of a snapshot of this machine, or of a copy of it. */
  numberedOf({ _nodes, historyValue, value, status }: AnyMachineSnapshot): NumberedConfiguration {
    // a node of this machine
    const number = ({ id }: { readonly id: string }) => this.#numbers.get(id) as number;
    const history = Object.entries(historyValue).map(
      ([id, nodes = []]) => [id, nodes.map(number)] as const,
    );
    return {
      nodes: _nodes.map(number),
      history: new Map(history),
      value,
      status: status as Status,
    };
  }

  /** The configuration of a snapshot between two steps. */
  of(snapshot: AnyMachineSnapshot): Configuration {
    return this.at(this.numberedOf(snapshot));
  }

  /** The configuration in which a macrostep ends that ends here. */
  at({ nodes, history, value, status }: NumberedConfiguration): Configuration {
    const sorted = {
      nodes: [...nodes].sort((a, b) => a - b),
      history: new Map(
        [...history].sort(byId).map(([id, kept]) => [id, [...kept].sort((a, b) => a - b)]),
      ),
      value: inDocumentOrder(this.machine.root, value),
      status,
    };
    const key = keyOf(sorted);
    const known = this.#byKey.get(key);
    if (known) return known;
    requireLegal(
      this.machine,
      sorted.nodes.flatMap((number) => this.nodes[number] ?? []),
    );
    const made = this.#made(sorted);
    this.#byKey.set(key, made);
    this.#all.push(made);
    this.#numbered.push(sorted);
    return made;
  }

  owns(configuration: Configuration): boolean {
    return this.#all[configuration.number] === configuration;
  }

  numbered({ number }: Configuration): NumberedConfiguration {
    return this.#numbered[number] as NumberedConfiguration; // one for each number
  }

  /** The configuration of these parts, as XState resolves them. */
  resolve(value: StateValue, history: Configuration['history'], status: string): Configuration {
    const text = JSON.stringify([value, history, status]);
    const known = this.#byText.get(text);
    if (known) return known;
    const historyValue = Object.fromEntries(
      Object.entries(history).map(([id, kept]) => [
        id,
        this.nodes.filter((node) => kept.includes(node.id)),
      ]),
    );
    const resolved = this.of(
      Object.assign(this.machine.resolveState({ value, context: {}, historyValue }), { status }),
    );
    this.#byText.set(text, resolved);
    return resolved;
  }

  /** XState's snapshot of a configuration. */
  snapshot(configuration: Configuration, context: object): AnyMachineSnapshot {
    const own = this.owns(configuration)
      ? configuration
      : this.resolve(configuration.value, configuration.history, configuration.status);
    const { nodes, history, value, status } = this.numbered(own);
    const node = (number: number) => this.nodes[number] as AnyStateNode; // a number of this machine
    const historyValue = Object.fromEntries([...history].map(([id, kept]) => [id, kept.map(node)]));
    const blank = this.machine.resolveState({ value, context, historyValue });
    return Object.assign(blank, {
      _nodes: nodes.map(node),
      value,
      status,
      tags: configuration.tagSet,
    });
  }

  #made({ nodes, history, value, status }: NumberedConfiguration): Configuration {
    // a number of this machine
    const id = (number: number) => (this.nodes[number] as AnyStateNode).id;
    const tags = [...new Set(nodes.flatMap((number) => this.nodes[number]?.tags ?? []))].sort();
    const made: Configuration = Object.freeze({
      number: this.#numbered.length,
      value: frozenValue(value),
      tags: Object.freeze(tags),
      tagSet: new Set(tags),
      history: Object.freeze(
        Object.fromEntries(
          [...history].map(([key, kept]) => [key, Object.freeze(kept.map(id).sort())]),
        ),
      ),
      status,
    });
    byTags.set(tags, made);
    return made;
  }
}

const byId = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1;

export const keyOf = ({ nodes, history, status }: NumberedConfiguration): string =>
  `${nodes.join()} ${status} ${[...history].map(([id, kept]) => `${JSON.stringify(id)}${kept.join()}`).join(';')}`;

function frozenValue(value: StateValue): StateValue {
  if (typeof value === 'object')
    for (const inner of Object.values(value)) if (inner !== undefined) frozenValue(inner);
  return Object.freeze(value);
}
