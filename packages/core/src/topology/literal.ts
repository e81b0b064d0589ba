import { badInput, ConclaveError } from '../base/error.js';
import { isTime } from '../base/moment.js';
import type { NodeId } from '../base/node-id.js';
import {
  edge,
  isNodeId,
  type Link,
  link,
  nodeIds,
  notNodeId,
  type Place,
  shown,
  Topology,
} from './topology.js';

/** What a literal spells out. */
interface Written {
  readonly nodes: readonly NodeId[];
  readonly links: readonly Link[];
  readonly places?: ReadonlyMap<NodeId, Place>;
}

/**
 * The spec that spells out a network in one line without blanks; `topology` reads the same nodes,
 * links and places from it. Nodes are listed where the links alone do not determine them, their
 * order or their places.
 *
 * @example writeEdges(chain(3)) // 'edges:a-b,b-c'
 * @example writeEdges(ring(2)) // 'edges:a>b@next,b>a@next'
 */
export function writeEdges({ nodes, links, places = new Map() }: Written): string {
  const mentioned = [...new Set(links.flatMap(({ from, to }) => [from, to]))];
  const listsNodes =
    places.size > 0 ||
    nodes.length !== mentioned.length ||
    nodes.some((id, i) => id !== mentioned[i]);
  const items = listsNodes ? nodes.map((id) => writeNode(id, places.get(id))) : [];
  for (let i = 0; i < links.length; i += 1) {
    const there = links[i];
    const back = links[i + 1];
    if (!there) continue;
    const twin =
      back &&
      there.from === back.to &&
      there.to === back.from &&
      there.delay === back.delay &&
      !there.port &&
      !back.port;
    items.push(writeLink(there, twin ? '-' : '>'));
    if (twin) i += 1;
  }
  return `edges:${items.join(',')}`;
}

function writeNode(id: NodeId, place: Place | undefined): string {
  return place
    ? `${escaped(id)}@${place.latitude}/${place.longitude}/${escaped(place.name)}`
    : escaped(id);
}

function writeLink({ from, to, delay, port }: Link, arrow: '-' | '>'): string {
  return `${escaped(from)}${arrow}${escaped(to)}${delay === undefined ? '' : `:${delay}`}${port === undefined ? '' : `@${escaped(port)}`}`;
}

const name = (group: string, least = '+') => `(?<${group}>[^\\s,:>@/-]${least})`;
const number = (group: string) => `(?<${group}>-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)`;
const nodeItem = new RegExp(
  `^${name('id')}(?:@${number('latitude')}/${number('longitude')}/${name('place', '*')})?$`,
);
const linkItem = new RegExp(
  `^${name('from')}(?<arrow>[>-])${name('to')}(?::${number('delay')})?(?:@${name('port')})?$`,
);

/**
 * The network a literal spells out: `edges:` and items set apart by commas. `a-b` links both
 * directions, `a>b` one direction, `a>b:5` with a delay of 5 ms, `a>b@next` with a port; `a` alone
 * is a node, `a@47.61/-122.33/Seattle` with its latitude, longitude and name. In names,
 * `% , : > @ / -` and blanks are percent-encoded.
 *
 * @throws {ConclaveError} `bad-topology`, quoting the item that cannot be read.
 */
export function readEdges(spec: string): Topology {
  const nodes = new Set<NodeId>();
  const links: Link[] = [];
  const places = new Map<NodeId, Place>();
  for (const item of spec.slice('edges:'.length).split(',')) {
    if (!readNode(item, nodes, places) && !readLink(item, nodes, links))
      throw new ConclaveError(
        'bad-topology',
        `Topology '${shown(spec)}': cannot read '${shown(item)}'`,
        "Write a-b, a-b:5 (ms), a>b, a>b:5@port, or a alone; a '-' inside a name is %2D.",
      );
  }
  return new Topology(spec, [...nodes], links, places);
}

function readNode(item: string, nodes: Set<NodeId>, places: Map<NodeId, Place>): boolean {
  const { id, latitude, longitude, place } = nodeItem.exec(item)?.groups ?? {};
  if (!id) return false;
  nodes.add(plain(id));
  if (place !== undefined)
    places.set(plain(id), {
      name: plain(place),
      latitude: Number(latitude),
      longitude: Number(longitude),
    });
  return true;
}

function readLink(item: string, nodes: Set<NodeId>, links: Link[]): boolean {
  const { from, arrow, to, delay, port } = linkItem.exec(item)?.groups ?? {};
  if (!from || !to || (arrow === '-' && port)) return false;
  const ends = [plain(from), plain(to)] as const;
  const milliseconds = delay === undefined ? undefined : Number(delay);
  for (const id of ends) nodes.add(id);
  if (arrow === '-') links.push(...edge(...ends, milliseconds));
  else
    links.push(
      port ? { ...link(...ends, milliseconds), port: plain(port) } : link(...ends, milliseconds),
    );
  return true;
}

/** `text` with the characters that have a meaning in a spec escaped. */
export function escaped(text: string): string {
  return text.replace(/[%,:>@/\s-]/g, (c) => (c === '-' ? '%2D' : encodeURIComponent(c)));
}

/** The inverse of {@link escaped}; an invalid escape is kept as it is. */
export function plain(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (codes) => {
    try {
      return decodeURIComponent(codes);
    } catch {
      return codes;
    }
  });
}

/** How many characters a line may have, with its comment. */
const longest = 100_000;
const form = "A line is 'a b' or 'a b delayMs'.";

/**
 * Reads an edge list: one undirected edge a line, `a b` or `a b delayMs`; `#` starts a comment,
 * blank lines are skipped. Nodes are listed as they first occur; the spec spells the network out,
 * so that it needs no file to be built again.
 *
 * @param name The file's name, for error messages.
 * @throws {ConclaveError} `bad-input`, naming file and line: `cities.txt:7: …`.
 * @example readEdgeList('bern zurich 0.5\nzurich chur # the delay is optional', 'cities.txt')
 */
export function readEdgeList(text: string, name: string): Topology {
  const links: Link[] = [];
  const lineOf = new Map<string, number>();
  for (const [index, line] of text.split('\n').entries()) {
    const refuse = (what: string, cure?: string) => badInput(`${name}:${index + 1}: ${what}`, cure);
    const read = edgeOf(line, refuse);
    if (!read) continue;
    const { a, b, delay } = read;
    const before = lineOf.get(key(a, b));
    if (before)
      throw refuse(
        `the edge ${a} ${b} is already in line ${before}`,
        'An edge goes both ways; list it once.',
      );
    lineOf.set(key(a, b), index + 1);
    links.push(...edge(a, b, delay));
  }
  if (links.length === 0) throw badInput(`${name}: there is no edge in it`, form);
  const nodes = [...new Set(links.map(({ from }) => from))];
  return new Topology(writeEdges({ nodes, links }), nodes, links);
}

/** The edge of a line; undefined for one without. */
function edgeOf(
  line: string,
  refuse: (what: string, cure?: string) => ConclaveError,
): { readonly a: NodeId; readonly b: NodeId; readonly delay: number | undefined } | undefined {
  if (line.length > longest) throw refuse(`a line of ${line.length} characters`, form);
  const [a, b, text, surplus] = line
    .replace(/(^|\s)#.*/, '')
    .trim()
    .split(/\s+/);
  if (a === '') return undefined;
  if (a === undefined || b === undefined || surplus !== undefined)
    throw refuse(`cannot read '${line.trim()}'`, form);
  for (const id of [a, b]) if (!isNodeId(id)) throw refuse(notNodeId(id), `${nodeIds}.`);
  if (a === b) throw refuse(`the edge joins ${a} to itself`);
  const delay = text === undefined ? undefined : Number(text);
  if (delay !== undefined && !isTime(delay))
    throw refuse(`the delay '${text}' is not a number of milliseconds from 0 to 1e12`);
  return { a, b, delay };
}

const key = (a: NodeId, b: NodeId): string => (a < b ? `${a} ${b}` : `${b} ${a}`);
