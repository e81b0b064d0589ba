import type { Protocol } from '../../protocol/protocol.js';
import type { Topology } from '../../topology/topology.js';
import { headerWith } from '../../trace/trace.js';
import type { WalkOptions } from '../explore/options.js';
import type { PropertyFinding } from '../verdicts/property-finding.js';
import { coverageOf, joinedUsage, type RoleUsage } from '../verdicts/report/role-usage.js';
import { type Walks, walkAndUse } from './walk.js';

/** What the walks of one seed found, as plain data. */
export interface SeedWalks extends Omit<Walks, 'properties' | 'coverage'> {
  readonly properties: readonly (Omit<PropertyFinding, 'trace'> & {
    readonly trace?: readonly [header: readonly (readonly [string, string])[], lines: unknown];
  })[];
  readonly usage: readonly RoleUsage[];
}

/** What the walks of several seeds found. */
export interface JoinedWalks extends Omit<Walks, 'seed' | 'properties' | 'tick'> {
  readonly seeds: number;
  /** Distinct worlds that the walks of one seed have visited, at most. */
  readonly states: number;
  /** Each from the first seed that decides it; `tick`: of its worlds. */
  readonly properties: readonly (PropertyFinding & {
    readonly seed?: number;
    readonly tick?: number;
  })[];
}

/** The walks of one seed, which know nothing of those of others. */
export function walksOfSeed(
  protocol: Protocol,
  topology: Topology,
  options: WalkOptions,
): SeedWalks {
  const { usage, properties, ...walks } = walkAndUse(protocol, topology, options);
  return {
    ...walks,
    properties: properties.map(({ trace, ...finding }) =>
      trace ? { ...finding, trace: [[...trace.header], trace.lines] } : finding,
    ),
    usage: usage(),
  };
}

/** What the walks of all these seeds found, in their order; there is one at least. */
export function joinedWalks(parts: readonly [SeedWalks, ...SeedWalks[]]): JoinedWalks {
  const [{ protocol, topology, assumptions, properties }] = parts;
  const total = (of: (part: SeedWalks) => number) => parts.reduce((sum, part) => sum + of(part), 0);
  return {
    ...{ protocol, topology, seeds: parts.length },
    walks: total((part) => part.walks),
    steps: total((part) => part.steps),
    states: Math.max(...parts.map(({ states }) => states)),
    ...(parts.some(({ limit }) => limit) ? { limit: 'interrupted' as const } : {}),
    assumptions,
    properties: properties.map((finding, place) => decided(parts, place) ?? withTrace(finding)),
    coverage: joinedUsage(parts.map(({ usage }) => usage)).map(coverageOf),
  };
}

/** What the first seed has found that decides the property at this place. */
function decided(parts: readonly SeedWalks[], place: number) {
  for (const { properties, seed, tick } of parts) {
    const finding = properties[place];
    if (finding && finding.verdict !== 'incomplete')
      return { ...withTrace(finding), seed, ...(tick === undefined ? {} : { tick }) };
  }
  return undefined;
}

function withTrace({ trace, ...finding }: SeedWalks['properties'][number]): PropertyFinding {
  if (!trace) return finding;
  const [header, lines] = trace;
  type Lines = NonNullable<PropertyFinding['trace']>['lines'];
  return { ...finding, trace: { header: headerWith(header), lines: lines as Lines } }; // a trace's
}
