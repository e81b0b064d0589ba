/**
 * From which systems a check without sizes chooses: what the protocol needs and declares to tolerate
 * decides how many nodes, commands and faults there may be, and what is judged where nodes fail. A
 * size that an option gives is not raised.
 */
import { explore, type PropertyFinding } from '@conclave/check';
import { noDeadlock } from '@conclave/check/internal';
import { faults, kindOfProperty, optionalCommands } from '@conclave/core/internal';
import { ConclaveError, type Property, type Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { budgetFor } from '../input/environment.js';
import type { CheckOptions, NetworkCheck, ProtocolCheck } from './options.js';
import { dimensions, type Levels, largestSize, perRaisedFault, type Size } from './schedule.js';

/**
 * Networks from two nodes, in the shape that the protocol needs; commands, if it has optional ones;
 * each fault that it declares to tolerate, as often as it does. What an option fixes is not raised.
 *
 * @throws {ConclaveError} `bad-topology`, `bad-input` for a protocol whose need refuses its own
 * example.
 */
export function levelsOf({
  protocol,
  options,
}: Pick<ProtocolCheck, 'protocol' | 'options'>): Levels {
  const from = (least: number) =>
    Array.from({ length: largestSize - least + 1 }, (_, index) => least + index);
  const levels = perRaisedFault(({ option, count }): readonly number[] => {
    const { [option]: given } = options;
    const upTo = faults.tolerated(protocol, count);
    return given === undefined ? from(0).filter((level) => level <= upTo) : [given];
  });
  const mayRestart = options.restart !== undefined || Math.max(...levels.crash) > 0;
  return {
    nodes: nodeCounts(protocol),
    entries: optionalCommands(protocol).length === 0 ? [1] : from(1),
    ...levels,
    restart: mayRestart ? levels.restart : [0],
  };
}

/** For how many nodes the shape has a network of its own. */
function nodeCounts(protocol: Protocol): readonly number[] {
  const known = new Map<string, number>();
  for (let nodes = 2; nodes <= largestSize; nodes++) {
    const topology = fitting(protocol, nodes);
    if (topology && !known.has(topology.spec)) known.set(topology.spec, nodes);
  }
  if (known.size === 0) explore(protocol, protocol.topology.example(3)); // refuses it, and says why
  return [...known.values()];
}

/** The protocol's own example of so many nodes; undefined where it has none. */
function fitting({ topology: need }: Protocol, nodes: number): Topology | undefined {
  try {
    const topology = need.example(nodes);
    return need.refuses(topology) === undefined ? topology : undefined;
  } catch (error) {
    if (error instanceof ConclaveError) return undefined;
    throw error;
  }
}

/** What it raised above the least, by option: what is left out is as the user gave it. */
export function raisedOptions(levels: Levels, size: Size): CheckOptions {
  const raised = dimensions.filter(
    (dimension) => dimension !== 'nodes' && size[dimension] !== levels[dimension][0],
  );
  return Object.fromEntries(raised.map((dimension) => [dimension, size[dimension]]));
}

/**
 * Whether nodes may fail here because the protocol declares to tolerate it, not because the user
 * wants it.
 */
const mayFail = (levels: Levels, { crash, restart }: Size): boolean =>
  crash !== levels.crash[0] || restart !== levels.restart[0];

/** The check of one of the systems; where its nodes fail, of what `tolerates` promises. */
export function checkOfSize(check: ProtocolCheck, levels: Levels, size: Size): NetworkCheck {
  const { protocol } = check;
  const options = { ...check.options, ...raisedOptions(levels, size) };
  const properties = mayFail(levels, size)
    ? check.properties.filter((property) => isPromised(property, size))
    : check.properties;
  const topology = protocol.topology.example(size.nodes);
  return { ...check, options, topology, budget: budgetFor(protocol, options), properties };
}

/** What was found, without what `tolerates` does not promise there. */
export const promisedIn = (
  levels: Levels,
  size: Size,
  findings: readonly PropertyFinding[],
): readonly PropertyFinding[] =>
  mayFail(levels, size) ? findings.filter(({ name }) => name !== noDeadlock) : findings;

/**
 * Whether a property is to hold where nodes fail so: `tolerates` promises the safety properties.
 */
const isPromised = (property: Property, { restart }: Pick<Size, 'restart'>): boolean =>
  kindOfProperty(property).decidedBy !== 'run' &&
  !('most' in property) && // no bound
  (property.unless === undefined || restart === 0);
