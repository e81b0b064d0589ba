import type { NodeId, NodeView, Protocol } from '@conclave/core/protocol';

/**
 * Who has a lock and who waits for it, as far as one node knows, and for how many milliseconds; a
 * snapshot.
 */
export interface Holders {
  /** More than one where they share it. */
  readonly holders: readonly { readonly node: NodeId; readonly ms: number }[];
  /** In the order in which they enter, where the node knows it; its own calls are the last. */
  readonly waiting: Holders['holders'];
}

/** When its calls have begun that have the lock or wait; undefined where there are none. */
export interface OwnCalls {
  readonly held: number | undefined;
  readonly waiting: number | undefined;
}

type Kind = keyof ReturnType<NonNullable<Protocol['contenders']>>;

/** What a node knows of others, and since when. */
export class Sightings {
  readonly #since: Readonly<Record<Kind, Map<NodeId, number>>> = {
    inside: new Map(),
    waiting: new Map(),
  };

  constructor(
    private readonly protocol: Pick<Protocol, 'contenders'>,
    private readonly now: () => number,
  ) {}

  /** The node has taken a step. */
  look(node: NodeView): void {
    const seen = this.protocol.contenders?.(node);
    if (!seen) return;
    for (const kind of ['inside', 'waiting'] as const) this.#note(kind, seen[kind]);
  }

  #note(kind: Kind, nodes: readonly NodeId[]): void {
    const since = this.#since[kind];
    if (isSame(since, nodes)) return;
    const known = new Map(since);
    since.clear(); // so that they are in the order of the node
    for (const node of nodes) since.set(node, known.get(node) ?? this.now());
  }

  /** @param own the calls of the node itself, `id` */
  holders(id: NodeId, own: OwnCalls): Holders {
    const now = this.now();
    const of = (kind: Kind, begun: number | undefined): Holders['holders'] => [
      ...[...this.#since[kind]].map(([node, since]) => ({ node, ms: now - since })),
      ...(begun === undefined ? [] : [{ node: id, ms: now - begun }]),
    ];
    return { holders: of('inside', own.held), waiting: of('waiting', own.waiting) };
  }
}

function isSame(known: ReadonlyMap<NodeId, number>, nodes: readonly NodeId[]): boolean {
  if (known.size !== nodes.length) return false;
  let at = 0;
  for (const node of known.keys()) if (node !== nodes[at++]) return false;
  return true;
}
