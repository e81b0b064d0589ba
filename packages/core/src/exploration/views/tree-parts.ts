import type { Message, NodeId } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import { canonical } from '../worlds/canonical.js';
import { mentioned, orders } from './data.js';
import { memoized } from './parts.js';
import { renamed, renamingOf } from './ring-names.js';
import { textOf } from './text.js';
import { Unprovable } from './unprovable.js';

/**
 * A node of a tree, and what it has sent to each neighbour and nobody has received. It has the first
 * of the names, and its neighbours, which are its ports, the next ones.
 */
export interface TreePart {
  readonly state: LocalState;
  /** By port. */
  readonly out: readonly (readonly Message[])[];
}

/** The number of a part, and where each port of another one is in it that differs in names only. */
export interface Numbered {
  readonly part: number;
  readonly ports: readonly number[];
}

/** The parts of trees: those that differ only in how neighbours are called have one number. */
export class TreeParts {
  readonly #parts: TreePart[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #known = new Map<string, Numbered>();
  readonly #alike = new Map<number, readonly (readonly number[])[]>();

  constructor(private readonly names: readonly NodeId[]) {}

  at(number: number): TreePart {
    return this.#parts[number] as TreePart; // numbers are given here
  }

  get size(): number {
    return this.#parts.length;
  }

  numbered(part: TreePart): Numbered {
    return memoized(this.#known, keyOf(part), () => {
      const [first, ...others] = this.#variants(part);
      let least = first as Variant; // there is always one
      for (const variant of others) if (variant.key < least.key) least = variant;
      const { key, ports } = least;
      let number = this.#numbers.get(key);
      if (number === undefined) {
        number = this.#parts.push(least.part) - 1;
        this.#numbers.set(key, number);
        const same = this.#variants(least.part).filter((variant) => variant.key === key);
        this.#alike.set(
          number,
          same.map((variant) => variant.ports),
        );
      }
      return { part: number, ports };
    });
  }

  /** The ports of a part that nothing but a name tells from `port`, itself among them. */
  like(number: number, port: number): ReadonlySet<number> {
    return new Set(this.#alike.get(number)?.map((ports) => ports[port] ?? port));
  }

  /** The part of a node with these neighbours. */
  of(id: NodeId, neighbours: readonly NodeId[], state: LocalState, out: TreePart['out']): Numbered {
    const names = new Map(
      [id, ...neighbours].map((name, index) => [name, this.names[index] ?? '']),
    );
    const stranger = [...mentioned(state.context, new Set(this.names))].find((n) => !names.has(n));
    if (stranger !== undefined)
      throw new Unprovable(`node ${id} knows ${stranger}, which is no neighbour`);
    for (const message of out.flat()) requireNoNames(message, this.names);
    return this.numbered({ state: renamed(state, undefined, renamingOf(names))[0], out });
  }

  #variants({ state, out }: TreePart): readonly Variant[] {
    return orders([...out.keys()]).map((ports) => {
      const names = ports.map(
        (port, index) => [this.names[1 + index] ?? '', this.names[1 + port] ?? ''] as const,
      );
      const [moved] = renamed(state, undefined, renamingOf(new Map(names)));
      const part = { state: moved, out: out.map((_, port) => out[ports.indexOf(port)] ?? []) };
      return { part, ports, key: keyOf(part) };
    });
  }
}

interface Variant extends Pick<Numbered, 'ports'> {
  readonly part: TreePart;
  readonly key: string;
}

const keyOf = ({ state, out }: TreePart): string => `${textOf(state)} ${canonical(out)}`;

/** Views have no names in messages; who has sent one is told by the port. */
export function requireNoNames(message: Message, names: readonly NodeId[]): void {
  const { type, ...fields } = message;
  const [name] = mentioned(fields, new Set(names));
  if (name !== undefined) throw new Unprovable(`message '${type}' names a node`);
}
