/** What a search over live nodes finds, and what the explorer finds of the same system. */

import type { Protocol } from '@conclave/core/protocol';
import { always, ConclaveError, type SystemView } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { checkProperties, systemViewOf } from '../../../../core/src/protocol/check-properties.js';
import { waitingOf } from '../../../../core/src/protocol/names.js';
import { askable, probes } from '../../fixtures/systems.contract.js';
import { explore } from '../explore.js';
import type { ExploreOptions } from '../options.js';
import { textOf } from './live-node.contract.js';
import { LiveSystem, type Rules } from './live-system.contract.js';
import { keyOf, type LiveWorld } from './live-world.contract.js';

interface Findings {
  readonly states: number;
  readonly transitions: number;
  /** The distance of the farthest world. */
  readonly depth: number;
  /** The names of the properties that some world decides. */
  readonly decided: readonly string[];
  /** What is seen of the worlds: values, contexts, crashes and messages in flight. */
  readonly seen: ReadonlySet<string>;
  /** There are worlds that time cannot leave: then nothing else is judged. */
  readonly timeStops: boolean;
}

const nothing = { states: 0, transitions: 0, depth: 0, decided: [], seen: new Set<string>() };

/** The two properties that every protocol is checked for. */
const [unhandled, deadlock] = [
  'every message is handled or explicitly ignored',
  'no node waits in a quiescent state',
] as const;

/** Breadth-first, by definition. */
export function judged(
  protocol: Protocol,
  topology: Topology,
  options: ExploreOptions,
  rules: Rules,
): Findings {
  const system = new LiveSystem(protocol, topology, options, rules);
  const properties = askable(protocol, options.properties ?? probes);
  const waits = waitingOf(protocol);
  const numbers = new Map<string, number>();
  const open: { readonly world: LiveWorld; readonly depth: number; readonly leads: number[] }[] =
    [];
  const decided = new Set<string>();
  const { seen, look } = observed();
  // as the explorer does: it shows properties the nodes at their start
  checkProperties(protocol, [look], topology);
  let transitions = 0;
  const meet = (world: LiveWorld, depth: number): number => {
    const key = keyOf(world);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, open.length);
    return open.push({ world, depth, leads: [] }) - 1;
  };
  meet(system.first, 0);
  for (const { world, depth, leads } of open) {
    const view = viewOf(system, world);
    look.holds(view);
    for (const property of properties)
      if (
        'holds' in property &&
        property.kind !== 'leadsTo' &&
        property.holds(view) === (property.kind !== 'always')
      )
        decided.add(property.name);
    const next = system.next(world);
    for (const { world: after, isCrash } of next) {
      if (!after) decided.add(unhandled);
      else {
        transitions++;
        const number = meet(after, depth + 1);
        if (!isCrash) leads.push(number);
      }
    }
    const isStill = next.length === 0 && view.nodes.some((node) => !node.crashed && waits?.(node));
    if (isStill) decided.add(deadlock);
  }
  // then what is behind is not known, and time may stop only there
  const isCut = decided.has(unhandled);
  if (
    !isCut &&
    !passes(open.map(({ world, leads }) => ({ leads, isFree: system.letsTimePass(world) })))
  )
    return { ...nothing, timeStops: true };
  return {
    states: open.length,
    transitions,
    depth: open.at(-1)?.depth ?? 0,
    decided: [...decided].sort(),
    seen,
    timeStops: false,
  };
}

/** Whether each world leads to one in which time can pass, also if no node crashes. */
function passes(
  worlds: readonly { readonly leads: readonly number[]; readonly isFree: boolean }[],
): boolean {
  const free = worlds.map(({ isFree }) => isFree);
  for (let before = -1, count = 0; before !== count; count = free.filter(Boolean).length) {
    before = count;
    for (const [number, { leads }] of [...worlds.entries()].reverse())
      free[number] ||= leads.some((after) => free[after]);
  }
  return free.every(Boolean);
}

/** What the explorer finds; undefined where there are more than `most` worlds. */
export function explored(
  protocol: Protocol,
  topology: Topology,
  options: ExploreOptions,
  most = Infinity,
): Findings | undefined {
  const { seen, look } = observed();
  const properties = [...askable(protocol, options.properties ?? probes), look];
  try {
    const found = explore(protocol, topology, {
      ...options,
      properties,
      ...(most !== Infinity && { limits: { states: most } }),
    });
    if (!found.complete) return undefined;
    const { states, transitions, depth } = found;
    const decided = found.properties
      .filter(({ verdict }) => verdict === 'violated' || verdict === 'reached')
      .map(({ name }) => name);
    return { states, transitions, depth, decided: decided.sort(), seen, timeStops: false };
  } catch (error) {
    if (error instanceof ConclaveError && error.message.startsWith('Time stops'))
      return { ...nothing, timeStops: true };
    throw error;
  }
}

/** A property that holds, and remembers what it was asked about. */
function observed() {
  const seen = new Set<string>();
  const look = always('is looked at', (system) => {
    seen.add(projectionOf(system));
    return true;
  });
  return { seen, look };
}

const projectionOf = (system: SystemView): string =>
  textOf([
    system.nodes.map(({ id, value, context, crashed }) => [id, value, context, crashed]),
    system.inFlight().map(textOf).sort(),
  ]);

function viewOf(system: LiveSystem, { places, channels }: LiveWorld): SystemView {
  const { protocol, topology } = system;
  const nodes = places.map(({ local }, node) => system.viewOf(local, node));
  const inFlight = topology.links.flatMap(({ from, to }, link) =>
    (channels[link] ?? []).map(({ message }) => ({ from, to, message })),
  );
  return systemViewOf(protocol, nodes, () => inFlight);
}
