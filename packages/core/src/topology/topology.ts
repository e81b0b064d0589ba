import { ConclaveError } from '../base/error.js';
import { isTime } from '../base/moment.js';
import type { NodeId } from '../base/node-id.js';

/** One directed link. */
export interface Link {
  readonly from: NodeId;
  readonly to: NodeId;
  /** Propagation delay in milliseconds, where the network has one. */
  readonly delay?: number;
  /**
   * The name of this link at `from`, where the network is oriented: `next`, `left`, `right`, a
   * dimension.
   */
  readonly port?: string;
}

/** The location of a node. */
export type Place = NonNullable<ReturnType<Topology['places']['get']>>;

/** The links out of a node, in their order: a list of a few takes a third of the memory of a map. */
type LinksOut = readonly Link[] | Map<NodeId, Link>;

const noLinks: LinksOut = [];
const mostListed = 8;

const linkTo = (out: LinksOut, to: NodeId): Link | undefined =>
  out instanceof Map ? out.get(to) : out.find((link) => link.to === to);

function withLink(out: LinksOut, link: Link): LinksOut {
  if (out instanceof Map) return out.set(link.to, link);
  const all = out.concat(link); // a list that grows would have room for 16 more
  return all.length > mostListed ? new Map(all.map((one) => [one.to, one])) : all;
}

/**
 * A network: nodes in a fixed order, and directed links between them. Immutable.
 *
 * @throws {ConclaveError} `bad-topology`: no node, a node twice, a link twice, to itself, to an
 * unknown node, with a negative delay, or with a port that another link of the same node has.
 */
export class Topology {
  readonly #out = new Map<NodeId, LinksOut>();

  constructor(
    /** A text from which `topology(spec)` builds this network again, such as `ring:8`. */
    readonly spec: string,
    readonly nodes: readonly NodeId[],
    readonly links: readonly Link[],
    /** Where nodes are: the name of the place, degrees north and east. */
    readonly places: ReadonlyMap<
      NodeId,
      { readonly name: string; readonly latitude: number; readonly longitude: number }
    > = new Map(),
  ) {
    const refuse = (what: string) =>
      new ConclaveError('bad-topology', `Topology '${shown(spec)}': ${what}`);
    if (nodes.length === 0) throw refuse('it has no node');
    for (const id of nodes) {
      if (!isNodeId(id)) throw refuse(`${notNodeId(id)}. ${nodeIds}`);
      if (this.#out.has(id)) throw refuse(`node '${id}' is listed twice`);
      this.#out.set(id, noLinks);
    }
    for (const link of links) {
      const fault = this.#fault(link);
      if (fault) throw refuse(`link ${link.from}→${link.to} ${fault}`);
      this.#out.set(link.from, withLink(this.#from(link.from), link));
    }
    for (const id of places.keys())
      if (!this.has(id)) throw refuse(`it has a place for the unknown node '${id}'`);
  }

  has(id: NodeId): boolean {
    return this.#out.has(id);
  }

  /** The nodes `id` can send to, in the order of the links. */
  successors(id: NodeId): readonly NodeId[] {
    return Array.from(this.#from(id).values(), ({ to }) => to);
  }

  /** The links out of `id`, in the order of the links. */
  linksFrom(id: NodeId): readonly Link[] {
    return [...this.#from(id).values()];
  }

  /** The link `from`→`to`, if there is one. */
  link(from: NodeId, to: NodeId): Link | undefined {
    return linkTo(this.#from(from), to);
  }

  /** The node behind port `port` of `id`, if there is one. */
  at(id: NodeId, port: string): NodeId | undefined {
    for (const link of this.#from(id).values()) if (link.port === port) return link.to;
    return undefined;
  }

  #from(id: NodeId): LinksOut {
    const out = this.#out.get(id);
    if (!out)
      throw new ConclaveError(
        'bad-topology',
        `Topology '${shown(this.spec)}' has no node '${id}'`,
        `Its nodes: ${abridged(this.nodes)}.`,
      );
    return out;
  }

  #fault({ from, to, delay, port }: Link): string | undefined {
    const out = this.#out.get(from);
    if (!out) return 'starts at an unknown node';
    if (!this.has(to)) return 'ends at an unknown node';
    if (from === to) return 'joins a node to itself';
    if (linkTo(out, to)) return 'is listed twice';
    if (delay !== undefined && !isTime(delay))
      return `has the delay ${delay}; a delay is a number of milliseconds from 0 to 1e12`;
    if (port !== undefined && this.at(from, port) !== undefined)
      return `has the port '${port}', and so has ${from}→${this.at(from, port)}`;
    return undefined;
  }
}

/**
 * Whether `id` can name a node: any text that can stand in a trace, a journal and a list of names
 * as it is. So not an empty one, and none with a blank, a control character, half a character (a
 * lone surrogate), or a mark that sets ids apart there.
 */
export const isNodeId = (id: string): boolean =>
  id !== '' && !/[\s\p{Cc}\p{Cs}→⇒,()[\]{}"]|^#|^\d+\.\d+ms$/u.test(id);

/** Says that a text is no node id, on one line. */
export const notNodeId = (id: string): string =>
  `'${shown(JSON.stringify(id).slice(1, -1))}' cannot be a node id`;

export const nodeIds =
  'A node id has no blank, control character, comma, bracket, double quote or arrow, no # in front, and is no time such as 1.5ms';

/** A spec short enough for an error message. */
export function shown(spec: string): string {
  return spec.length <= 80 ? spec : `${spec.slice(0, 79)}…`;
}

/** The first of many names, for an error message. */
export function abridged(names: readonly string[], most = 12): string {
  return names.length <= most
    ? names.join(', ')
    : `${names.slice(0, most).join(', ')} … (${names.length} in all)`;
}

/** A link, with its delay in milliseconds where one is known. */
export function link(from: NodeId, to: NodeId, delay?: number): Link {
  return delay === undefined ? { from, to } : { from, to, delay };
}

/** An undirected edge is two links. */
export function edge(a: NodeId, b: NodeId, delay?: number): [Link, Link] {
  return [link(a, b, delay), link(b, a, delay)];
}
