import { badInput, type ConclaveError } from '../base/error.js';
import { isTime } from '../base/moment.js';
import type { NodeId } from '../base/node-id.js';
import { edge } from './edge.js';
import { writeEdges } from './literal.js';
import { isNodeId, type Link, nodeIds, notNodeId, Topology } from './topology.js';

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
