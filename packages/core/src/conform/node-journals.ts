import type { NodeId } from '../protocol/node.js';
import type { LocalState } from '../protocol/step.js';
import type { JournalReader } from './journal-reader.js';
import type { ReplayedNode } from './replayed-node.js';

/** How the journal of an incarnation ended. `broken`: something in it could not be repeated. */
export type End = 'closed' | 'open' | 'broken';

/** An incarnation whose journal was read. */
export interface Ended {
  readonly reader: JournalReader;
  readonly incarnation: number;
  readonly steps: number;
  readonly end: End;
  /** By receiver: how many messages arrived that it has not sent, by what is left of it. */
  readonly beyond: Map<NodeId, number>;
  /** The place of its end among the events; undefined while nothing has to come after it. */
  event: number | undefined;
}

/** The journals of one node, in the order of its incarnations. */
export class NodeJournals {
  /** By incarnation. */
  readonly ended = new Map<number, Ended>();
  #current = 0;
  /** Whether the header of the present journal was taken. */
  hasBegun = false;
  isClosed = false;

  constructor(
    readonly place: number,
    readonly node: ReplayedNode,
    readonly readers: readonly JournalReader[],
    /**
     * By incarnation: those whose journal has no step. They were refused, or ended before they
     * started, or what they wrote is lost; either way the run has no node there.
     */
    readonly unstarted: ReadonlyMap<number, Ended>,
  ) {}

  /** The incarnation whose journal was read to its end. */
  endOf(incarnation: number): Ended | undefined {
    return this.ended.get(incarnation) ?? this.unstarted.get(incarnation);
  }

  /** All that were read, in their order. */
  get all(): readonly Ended[] {
    return [...this.ended.values(), ...this.unstarted.values()].sort(
      (a, b) => a.incarnation - b.incarnation,
    );
  }

  get id(): NodeId {
    return this.node.id;
  }

  /** The present journal; undefined at the end of all. */
  get reader(): JournalReader | undefined {
    return this.readers[this.#current];
  }

  /** The incarnation of the present journal. */
  get incarnation(): number {
    return this.reader?.header.incarnation ?? 0;
  }

  get isFirst(): boolean {
    return this.#current === 0;
  }

  has(incarnation: number): boolean {
    return this.readers.some(({ header }) => header.incarnation === incarnation);
  }

  /** The state at the end of the journal before, and whether that is its whole end. */
  last: { readonly state: LocalState; readonly isWhole: boolean } | undefined;

  /** Goes on to the next journal. */
  end(end: End): void {
    const { reader } = this;
    if (!reader) return;
    const { incarnation } = reader.header;
    this.ended.set(incarnation, ended(reader, this.node.steps, end));
    const { state } = this.node;
    this.last = state && end !== 'broken' ? { state, isWhole: end === 'closed' } : undefined;
    this.#current++;
    this.hasBegun = false;
    this.isClosed = false;
  }
}

/** The journals of a run, by the places of the nodes. */
export class RunJournals {
  readonly #places: ReadonlyMap<NodeId, number>;

  constructor(readonly all: readonly NodeJournals[]) {
    this.#places = new Map(all.map(({ id, place }) => [id, place]));
  }

  has(id: NodeId): boolean {
    return this.#places.has(id);
  }

  /** Of a node of the network. */
  of(id: NodeId): NodeJournals {
    return this.all[this.placeOf(id)] as NodeJournals; // a node of the network
  }

  placeOf(id: NodeId): number {
    return this.#places.get(id) ?? 0;
  }
}

const ended = (reader: JournalReader, steps: number, end: End): Ended => ({
  ...{ reader, incarnation: reader.header.incarnation, steps, end },
  beyond: new Map(),
  event: undefined,
});

/** The end of a journal without a step; undefined for one with steps, which stays as it is. */
export function unstarted(reader: JournalReader): Ended | undefined {
  const { peek } = reader;
  if (!peek) return ended(reader, 0, 'open');
  if (peek.kind !== 'remark' || peek.key !== 'closed' || peek.value !== '0') return undefined;
  reader.advance();
  return ended(reader, 0, reader.peek ? 'broken' : 'closed');
}
