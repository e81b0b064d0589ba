import type { ConclaveError } from '../../base/error.js';
import { violatedBy } from '../../protocol/unhandled-messages.js';
import { canonical } from '../worlds/canonical.js';
import type { Numbered } from './tree-parts.js';
import type { TreeSteps } from './tree-steps.js';
import { Unprovable } from './unprovable.js';

/** A node of a view, and the port that leads to the other one: 4 times its part, plus the port. */
export type End = number;

export const endOf = (part: number, port: number): End => 4 * part + port;
export const partOf = (end: End): number => end >> 2;
export const portOf = (end: End): number => end & 3;

/** Two nodes of a tree: neighbours, or far from each other. */
export interface TreeView {
  readonly isNear: boolean;
  readonly ends: readonly [End, End];
  /** What has led to it: nodes, the first of which has taken the step. */
  readonly origin?: { readonly parts: readonly number[]; readonly step: string };
}

/** Which ends stand at the other end of a view. */
type Partners = Map<End, Set<End>>;

const mostViews = 100_000;

/** The views of two nodes of trees, closed under all steps. */
export class TreeViews {
  readonly all: TreeView[] = [];
  /** The nodes of networks that have only one. */
  readonly alone = new Set<number>();
  /** By the property that they violate. */
  readonly failures = new Map<
    string,
    { readonly error: ConclaveError; readonly parts: number[] }
  >();
  steps = 0;
  readonly #near: Partners = new Map();
  readonly #far: Partners = new Map();
  /** Of a message between neighbours: how much was known when it was delivered last. */
  readonly #delivered = new Map<string, number>();

  constructor(private readonly taking: TreeSteps) {}

  has(isNear: boolean, one: End, other: End): boolean {
    return this.#partnersOf(isNear, one).has(other);
  }

  learn(isNear: boolean, one: End, other: End, origin?: TreeView['origin']): void {
    if (this.has(isNear, one, other)) return;
    const all = this.#partners(isNear);
    for (const first of this.#like(one))
      for (const second of this.#like(other)) {
        partners(all, first).add(second);
        partners(all, second).add(first);
      }
    this.all.push({ isNear, ends: [one, other], ...(origin ? { origin } : {}) });
    if (this.all.length > mostViews)
      throw new Unprovable(`there are more than ${mostViews} views of two nodes`);
  }

  close(): void {
    this.#closeAlone();
    for (let known = -1, taken = 0; known < this.all.length; ) {
      known = this.all.length;
      for (let index = 0; index < this.all.length; index++) {
        this.#expand(this.all[index] as TreeView, index >= taken); // it has so many
        taken = Math.max(taken, index + 1);
      }
    }
  }

  #closeAlone(): void {
    for (const part of this.alone)
      for (const { moves, failures } of this.taking.own(part)) {
        this.#fail(failures, [part]);
        for (const move of moves) this.alone.add(move.part);
      }
  }

  #expand({ isNear, ends: [one, other] }: TreeView, isNew: boolean): void {
    if (this.taking.local.detail.stop()) throw new Unprovable('interrupted');
    if (isNew) {
      this.#move(isNear, one, other);
      this.#move(isNear, other, one);
    }
    if (isNear) {
      this.#deliver(one, other);
      this.#deliver(other, one);
    }
  }

  #partners(isNear: boolean): Partners {
    return isNear ? this.#near : this.#far;
  }

  #like(end: End): readonly End[] {
    const part = partOf(end);
    return [...this.taking.parts.like(part, portOf(end))].map((port) => endOf(part, port));
  }

  #fail(failures: readonly ConclaveError[], parts: number[]): void {
    for (const error of failures) {
      const property = violatedBy(error);
      if (!this.failures.has(property)) this.failures.set(property, { error, parts });
    }
  }

  /** The steps that the first node takes by itself. */
  #move(isNear: boolean, one: End, other: End): void {
    const parts = [partOf(one), partOf(other)];
    for (const { event, moves, failures } of this.taking.own(partOf(one))) {
      this.#fail(failures, parts);
      for (const move of moves) {
        this.steps++;
        this.learn(isNear, moved(move, portOf(one)), other, { parts, step: canonical(event) });
      }
    }
  }

  /**
   * The first of two neighbours receives what the second has sent: this changes the views that
   * either has with any third node.
   */
  #deliver(one: End, other: End): void {
    const [receiver, sender] = [partOf(one), partOf(other)];
    const messages = this.taking.arriving(sender, portOf(other));
    if (messages.length === 0) return;
    const key = `${one} ${other}`;
    const known = this.#knownOf(receiver) + this.#knownOf(sender);
    if (this.#delivered.get(key) === known) return;
    this.#delivered.set(key, known);
    for (const message of messages) {
      const left = this.taking.without(sender, portOf(other), message);
      const { moves, failures } = this.taking.receive(receiver, portOf(one), message);
      this.#fail(failures, [receiver, sender]);
      for (const move of moves) this.#after(one, other, [move, left], canonical(message));
    }
  }

  #after(
    one: End,
    other: End,
    [received, left]: readonly [Numbered, Numbered],
    step: string,
  ): void {
    const [receiver, sender] = [partOf(one), partOf(other)];
    this.steps++;
    this.learn(true, moved(received, portOf(one)), moved(left, portOf(other)), {
      ...{ parts: [receiver, sender], step },
    });
    const change = (own: End, its: End, isNear: readonly [boolean, boolean]) => {
      for (const third of both(
        this.#partnersOf(isNear[0], own),
        this.#partnersOf(isNear[1], its),
      )) {
        this.steps++;
        const origin = { parts: [receiver, sender, partOf(third)], step };
        this.learn(isNear[0], moved(received, portOf(own)), third, origin);
        this.learn(isNear[1], moved(left, portOf(its)), third, origin);
      }
    };
    for (const isNear of [true, false]) {
      for (const port of this.#ports(sender))
        if (port !== portOf(other)) change(one, endOf(sender, port), [false, isNear]);
      for (const port of this.#ports(receiver))
        if (port !== portOf(one)) change(endOf(receiver, port), other, [isNear, false]);
    }
  }

  #partnersOf(isNear: boolean, end: End): ReadonlySet<End> {
    return this.#partners(isNear).get(end) ?? nobody;
  }

  #ports(part: number): Iterable<number> {
    return this.taking.parts.at(part).out.keys();
  }

  #knownOf(part: number): number {
    let sum = 0;
    for (const port of this.#ports(part))
      for (const isNear of [true, false]) sum += this.#partnersOf(isNear, endOf(part, port)).size;
    return sum;
  }
}

const nobody: ReadonlySet<End> = new Set();

const moved = ({ part, ports }: Numbered, port: number): End => endOf(part, ports[port] ?? port);

function partners(all: Partners, end: End): Set<End> {
  const known = all.get(end) ?? new Set();
  all.set(end, known);
  return known;
}

/** What two sets have in common, as it is now. */
function both(one: ReadonlySet<End>, other: ReadonlySet<End>): readonly End[] {
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  return [...few].filter((end) => many.has(end));
}
