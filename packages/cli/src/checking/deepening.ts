import { type Exploration, explore } from '@conclave/core/exploration';
import type { Protocol } from '@conclave/core/protocol';
import { budgetFor, type CheckBudget } from '../input/budget.js';
import { type CheckOptions, requireConsistent, usualSeconds } from '../input/check-options.js';
import { beyondAssumptions } from '../input/conditions.js';
import { limitsOf } from '../input/limits.js';
import { againWithTrace, withoutOption } from '../output/again.js';
import { deepeningReport } from '../output/deepening-report.js';
import { cutText, deepeningSummary } from '../output/deepening-summary.js';
import { requireWritable } from '../output/trace-file.js';
import { answer, remark, type Session } from '../session.js';
import { asked, complain, conclude } from './asked.js';
import { exploring } from './exploring.js';
import { isExhausted, overall, overallCoverage } from './overall.js';
import { longWaysOf, notJudgedText, reducedBy } from './search.js';
import { written } from './setting.js';
import { type Size, sizes, sizeText } from './sizes.js';

/** One system, and what was found in it. */
export interface Looked extends Size {
  readonly budget: CheckBudget;
  readonly exploration: Exploration;
}

/** Why it went no further; of `cut`, the last system was left before its end. */
export type Ending = 'violated' | 'covered' | 'time' | 'sizes' | 'cut';

/** How many larger systems must add nothing to a full coverage before it stops. */
const mostQuiet = 2;

/**
 * Looks at every interleaving of larger and larger systems: until one violates a property, until every 'sometimes' is reached and two larger ones have
 * added nothing to a coverage that is full, or until the time is over.
 */
export function checkByDeepening(session: Session, name: string, protocol: Protocol, options: CheckOptions): void {
  requireConsistent(protocol, options);
  const { properties, leftOut } = asked(protocol.properties, options.safety);
  const seconds = options.for ?? usualSeconds;
  if (options.trace !== undefined) requireWritable(options.trace);
  const { order, losses: loss, duplications: duplication, partitions } = budgetFor(protocol, options);
  remark(session, undefined, beyondAssumptions(protocol, { order, loss, duplication, partitions }));

  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1000;
  const { fair: fairness = 'weak', search = 'breadth', compact = false, workers = 1 } = options;
  const look = ({ topology, entries }: Size): Looked => {
    const budget = budgetFor(protocol, { ...options, ...(entries === 1 ? {} : { entries }) });
    const limits = limitsOf({ ...options, maxSeconds: Math.max(0, seconds - elapsed()) }, session);
    const exploration = exploring(session, (onProgress) =>
      explore(protocol, topology, {
        ...budget,
        ...{ properties, fairness, limits, search, workers, onProgress },
        coverage: reducedBy(options) === undefined,
        visited: compact ? 'compact' : 'exact',
        ...(compact && options.seed !== undefined ? { seed: options.seed } : {}),
        reduce: options.reduce ?? 'none',
      }),
    );
    return { topology, entries, budget, exploration };
  };
  const { systems, ending } = deepen(protocol, look, () => elapsed() >= seconds);
  const explorations = systems.map(({ exploration }) => exploration);
  const found = { properties: overall(explorations), coverage: overallCoverage(explorations) };
  const last = systems.at(-1);
  const exhausted = systems.findLast(({ exploration }) => isExhausted(exploration));
  const incomplete =
    last?.exploration.limit === 'interrupted' || exhausted === undefined
      ? `${last ? cutText(last, seconds) : 'nothing was looked at'}; ${exhausted ? `exhausted up to ${sizeText(exhausted)}` : 'nothing is proved to hold'}.`
      : notJudgedText(found, options);
  conclude(session, { ...found, ...(last?.exploration.limit === undefined ? {} : { limit: last.exploration.limit }) }, incomplete);
  const refuting = systems.find(({ exploration }) => exploration.properties.some(({ verdict }) => verdict === 'violated'));
  const file = written(name, options, found.properties.find(({ verdict }) => verdict === 'violated')?.trace);
  const spent = elapsed();
  const deepening = {
    protocol,
    systems,
    ending,
    exhausted,
    leftOut,
    seconds,
    spent,
    fairness,
    ...found,
    incomplete,
    workers,
    longWays: longWaysOf(options),
  };
  answer(session, options.json, deepeningReport(deepening), () => {
    const parts = [deepeningSummary(deepening, session)];
    if (refuting) {
      const argv = [...withoutOption(session.argv, 'for'), '--topology', refuting.topology.spec];
      parts.push(`Again: ${againWithTrace(refuting.entries === 1 ? argv : [...argv, '--entries', String(refuting.entries)], options)}\n`);
    }
    if (file !== undefined) parts.push(file);
    return parts.join('\n');
  });
  complain(session, incomplete);
}

/** What it came to, and why it went no further. */
function deepen(
  protocol: Protocol,
  look: (size: Size) => Looked,
  isOver: () => boolean,
): { readonly systems: readonly Looked[]; readonly ending: Ending } {
  const systems: Looked[] = [];
  let quiet = 0;
  let missed = Infinity;
  for (const size of sizes(protocol)) {
    if (systems.length > 0 && isOver()) return { systems, ending: 'time' };
    const looked = look(size);
    systems.push(looked);
    const { properties } = looked.exploration;
    const explorations = systems.map(({ exploration }) => exploration);
    if (properties.some(({ verdict }) => verdict === 'violated')) return { systems, ending: 'violated' };
    if (!isExhausted(looked.exploration)) return { systems, ending: 'cut' };
    const coverage = overallCoverage(explorations);
    const left = coverage.reduce((sum, { missed, unentered }) => sum + missed.length + unentered.length, 0);
    quiet = left === 0 && left === missed ? quiet + 1 : 0;
    missed = left;
    const isReached = overall(explorations).every(({ verdict }) => verdict !== 'unreached');
    if (quiet >= mostQuiet && coverage.length > 0 && isReached) return { systems, ending: 'covered' };
  }
  return { systems, ending: 'sizes' };
}
