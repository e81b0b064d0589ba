/** What a search over live nodes finds, and what the explorer finds of the same. */
import { systemViewOf } from '../protocol/check-properties.js';
import { always, type Property, type SystemView } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { waitingOf } from '../protocol/waiting.js';
import type { Topology } from '../topology/topology.js';
import { explore } from './explore.js';
import { textOf } from './live-node.contract.js';
import { LiveSystem, type LiveWorld, type Rules } from './live-system.contract.js';
import type { ExploreOptions } from './options.js';
import { askable, probes } from './systems.contract.js';

export interface Findings {
  readonly states: number;
  readonly transitions: number;
  /** The distance of the farthest world. */
  readonly depth: number;
  /** The names of the properties that some world decides. */
  readonly decided: readonly string[];
  /** What is seen of the worlds: values, contexts, crashes and messages in flight. */
  readonly seen: ReadonlySet<string>;
}

const projectionOf = (system: SystemView): string =>
  textOf([
    system.nodes.map(({ id, value, context, crashed }) => [id, value, context, crashed]),
    system.inFlight().map(textOf).sort(),
  ]);

/** The two properties that every protocol is checked for. */
const [unhandled, deadlock] = ['every message is handled or explicitly ignored', 'no node waits in a quiescent state'] as const;

/** Breadth-first. Undefined: there are more than `most` worlds. */
export function searched(protocol: Protocol, topology: Topology, options: ExploreOptions, rules: Rules, most = Infinity): Findings | undefined {
  const system = new LiveSystem(protocol, topology, options, rules);
  const properties = askable(protocol, options.properties ?? probes);
  const waits = waitingOf(protocol);
  const known = new Set<string>();
  const open: { readonly world: LiveWorld; readonly depth: number }[] = [];
  const decided = new Set<string>();
  const seen = new Set<string>();
  let transitions = 0;
  const meet = (world: LiveWorld, depth: number) => {
    const key = keyOf(world);
    if (known.has(key)) return;
    known.add(key);
    open.push({ world, depth });
  };
  meet(system.first, 0);
  for (const { world, depth } of open) {
    if (known.size > most) return undefined;
    const view = viewOf(system, world);
    seen.add(projectionOf(view));
    for (const property of properties)
      if ((property.kind === 'always' || property.kind === 'never' || property.kind === 'sometimes') && property.holds(view) === (property.kind !== 'always'))
        decided.add(property.name);
    const next = system.next(world);
    for (const after of next) {
      if (!after) decided.add(unhandled);
      else {
        transitions++;
        meet(after, depth + 1);
      }
    }
    if (next.length > 0) continue;
    if (!system.letsTimePass(world)) throw new Error(`Time stops in ${keyOf(world)}`);
    if (waits && view.nodes.some((node) => !node.crashed && waits(node))) decided.add(deadlock);
  }
  return { states: known.size, transitions, depth: open.at(-1)?.depth ?? 0, decided: [...decided].sort(), seen };
}

/** Undefined: there are more than `most` worlds. */
export function explored(protocol: Protocol, topology: Topology, options: ExploreOptions, most = Infinity): Findings | undefined {
  const seen = new Set<string>();
  const look: Property = always('is looked at', (system) => {
    seen.add(projectionOf(system));
    return true;
  });
  const properties = [...askable(protocol, options.properties ?? probes), look];
  const found = explore(protocol, topology, { ...options, properties, ...(most !== Infinity && { limits: { states: most } }) });
  if (!found.complete) return undefined;
  const { states, transitions, depth } = found;
  const decided = found.properties.filter(({ verdict }) => verdict === 'violated' || verdict === 'reached').map(({ name }) => name);
  return { states, transitions, depth, decided: decided.sort(), seen };
}

const keyOf = ({ places, channels, left, starting }: LiveWorld): string =>
  textOf([places.map(({ local, armed, stayed, commands, given }) => [local.text, armed, stayed, commands, given]), channels, left, starting]);

function viewOf(system: LiveSystem, { places, channels }: LiveWorld): SystemView {
  const { protocol, topology } = system;
  const nodes = places.map((place, node) => system.viewOf(place, node));
  const inFlight = topology.links.flatMap(({ from, to }, link) => (channels[link] ?? []).map(({ message }) => ({ from, to, message })));
  return systemViewOf(protocol, nodes, () => inFlight);
}
