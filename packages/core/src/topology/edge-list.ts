import { badInput } from '../base/error.js';
import { isTime } from '../base/moment.js';
import type { NodeId } from '../base/node-id.js';
import { edge } from './edge.js';
import { writeEdges } from './literal.js';
import { isNodeId, type Link, nodeIds, notNodeId, Topology } from './topology.js';

/** How many characters a line may have, with its comment. */
const longest = 100_000;

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
    if (line.length > longest)
      throw badInput(
        `${name}:${index + 1}: a line of ${line.length} characters`,
        "A line is 'a b' or 'a b delayMs'.",
      );
    const fields = line
      .replace(/(^|\s)#.*/, '')
      .trim()
      .split(/\s+/);
    if (fields[0] === '') continue;
    const refuse = (what: string, cure?: string) => badInput(`${name}:${index + 1}: ${what}`, cure);
    const [a, b, delay, surplus] = fields;
    if (a === undefined || b === undefined || surplus !== undefined)
      throw refuse(`cannot read '${line.trim()}'`, "A line is 'a b' or 'a b delayMs'.");
    for (const id of [a, b]) if (!isNodeId(id)) throw refuse(notNodeId(id), `${nodeIds}.`);
    if (a === b) throw refuse(`the edge joins ${a} to itself`);
    const milliseconds = delay === undefined ? undefined : Number(delay);
    if (milliseconds !== undefined && !isTime(milliseconds))
      throw refuse(`the delay '${delay}' is not a number of milliseconds from 0 to 1e12`);
    const before = lineOf.get(key(a, b));
    if (before)
      throw refuse(
        `the edge ${a} ${b} is already in line ${before}`,
        'An edge goes both ways; list it once.',
      );
    lineOf.set(key(a, b), index + 1);
    links.push(...edge(a, b, milliseconds));
  }
  if (links.length === 0)
    throw badInput(`${name}: there is no edge in it`, "A line is 'a b' or 'a b delayMs'.");
  const nodes = [...new Set(links.map(({ from }) => from))];
  return new Topology(writeEdges({ nodes, links }), nodes, links);
}

const key = (a: NodeId, b: NodeId): string => (a < b ? `${a} ${b}` : `${b} ${a}`);
