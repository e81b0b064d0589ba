/**
 * What properties read of a system. A property is a function of what it reads, so the explorer learns
 * from its reads in which worlds it has the same value (the search skips them), whether it looked at
 * anything that a run may change (otherwise it is vacuous), and what never changed (its remark).
 */
import type { InFlight, NodeView, SystemView } from '@conclave/core/protocol';
import { canonical } from '../../worlds/canonical.js';

type Part = (node: NodeView) => unknown;

interface Read {
  readonly part: Part;
  /** What is so if it never changes, given a view of each node; undefined if no node has it. */
  readonly unchanged: (nodes: readonly NodeView[]) => string | undefined;
}

/** What has been read so far: tags, state values, context fields, crashes, messages in flight. */
export class Reads {
  readonly #parts = new Map<string, Read>();
  /** Whether messages in flight were read, and of which types; undefined: all. */
  inFlight = false;
  readonly types = new Set<string | undefined>();

  /** Whether values of fields that are objects were compared, which is by identity, not by data. */
  identities = false;

  /** How many different parts were read. */
  get size(): number {
    return this.#parts.size + (this.inFlight ? 1 : 0) + (this.identities ? 1 : 0);
  }

  note(name: string, read: Read | Part): void {
    if (!this.#parts.has(name))
      this.#parts.set(
        name,
        typeof read === 'function' ? { part: read, unchanged: () => undefined } : read,
      );
  }

  /** Whether `one` and `other`, views of one node, differ in a part that was read. */
  distinguishes(one: NodeView, other: NodeView): boolean {
    return [...this.#parts.values()].some(
      ({ part }) => canonical(part(one)) !== canonical(part(other)),
    );
  }

  /**
   * What is so if nothing that was read ever changes: clauses. `nodes`: a view of each. Empty if
   * nothing that the nodes have was read.
   */
  unchanged(nodes: readonly NodeView[]): readonly string[] {
    const sent = [...this.types].map((type) =>
      type === undefined ? 'no message is sent' : `no message '${type}' is sent`,
    );
    return [...this.#parts.values()].flatMap((read) => read.unchanged(nodes) ?? []).concat(sent);
  }

  /**
   * A text that two views of one node share if they are equal in all parts that were read so far.
   */
  projection(): (node: NodeView) => string {
    const parts = [...this.#parts.values()].map(({ part }) => part);
    return (node) => canonical(parts.map((part) => part(node)));
  }
}

const readsTag = (tag: string): Read => ({
  part: ({ tags }) => tags.has(tag),
  unchanged: (nodes) =>
    nodes.some(({ tags }) => tags.has(tag))
      ? `the tag '${tag}' never changes`
      : `no state with the tag '${tag}' is entered`,
});
/** A missing field differs from one that is null. */
const readsField = (field: string): Read => ({
  part: ({ context }) => (Object.hasOwn(context, field) ? [context[field]] : []),
  unchanged: (nodes) =>
    nodes.some(({ context }) => Object.hasOwn(context, field))
      ? `context.${field} never changes`
      : undefined,
});
const readsWhole = (name: string, part: Part): Read => ({
  part,
  unchanged: () => `${name} of each node never changes`,
});
const readsCrashed: Read = {
  part: ({ crashed }) => crashed,
  unchanged: () => 'no node crashes',
};
const readsValue = readsWhole('the state', ({ value }) => value);
const readsTags = readsWhole('the set of tags', ({ tags }) => [...tags].sort());
const readsHistory = readsWhole('the history', ({ history }) => history);
const readsContext = readsWhole('the context', ({ context }) => context);

/** A view that records what is read. */
export class WatchedView implements SystemView {
  /** `watched`: by node, its recording view; may be shared by views with the same `reads`. */
  constructor(
    private readonly view: SystemView,
    private readonly reads: Reads,
    private readonly watched = new WeakMap<NodeView, NodeView>(),
  ) {}

  get nodes(): readonly NodeView[] {
    return this.view.nodes.map((node) => this.watch(node));
  }

  get live(): number {
    this.#noteCrashed();
    return this.view.live;
  }

  node(id: string): NodeView {
    return this.watch(this.view.node(id));
  }

  count(tag: string): number {
    this.#noteTag(tag);
    return this.view.count(tag);
  }

  tagged(tag: string): readonly NodeView[] {
    this.#noteTag(tag);
    return this.view.tagged(tag).map((node) => this.watch(node));
  }

  distinct(tag: string, field: string): readonly unknown[] {
    this.#noteTag(tag);
    this.#noteField(field);
    const values = this.view.distinct(tag, field);
    if (values.some((value) => typeof value === 'object' && value !== null))
      this.reads.identities = true;
    return values;
  }

  inFlight(type?: string): readonly InFlight[] {
    this.reads.inFlight = true;
    this.reads.types.add(type);
    return this.view.inFlight(type);
  }

  /** The recording view of a node. */
  watch(node: NodeView): NodeView {
    const known = this.watched.get(node);
    if (known) return known;
    const { reads } = this;
    const context = this.#watchContext(node);
    const made: NodeView = {
      id: node.id,
      role: node.role,
      get crashed() {
        reads.note('crashed', readsCrashed);
        return node.crashed;
      },
      get value() {
        reads.note('value', readsValue);
        return node.value;
      },
      get context() {
        return context;
      },
      get tags() {
        reads.note('tags', readsTags);
        return node.tags;
      },
      get history() {
        reads.note('history', readsHistory);
        return node.history;
      },
    };
    this.watched.set(node, made);
    return made;
  }

  #watchContext({ context }: NodeView): NodeView['context'] {
    const field = (key: string | symbol) => typeof key === 'string' && this.#noteField(key);
    return new Proxy(context, {
      get: (target, key) => {
        field(key);
        return Reflect.get(target, key);
      },
      has: (target, key) => {
        field(key);
        return Reflect.has(target, key);
      },
      getOwnPropertyDescriptor: (target, key) => {
        field(key);
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
      ownKeys: (target) => {
        this.reads.note('context', readsContext);
        return Reflect.ownKeys(target);
      },
    });
  }

  #noteCrashed(): void {
    this.reads.note('crashed', readsCrashed);
  }

  #noteTag(tag: string): void {
    this.reads.note(`tag ${tag}`, readsTag(tag));
  }

  #noteField(field: string): void {
    this.reads.note(`field ${field}`, readsField(field));
  }
}
