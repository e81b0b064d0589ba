import { type Exploration, explore } from '@conclave/core/exploration';
import type { Protocol } from '@conclave/core/protocol';
import type { CheckOptions } from '../input/check-options.js';
import { limitsOf, openText, stoppedText } from '../input/limits.js';
import { againWithTrace } from '../output/again.js';
import { checkReport } from '../output/check-report.js';
import { checkSummary } from '../output/check-summary.js';
import { answer, type Session } from '../session.js';
import { complain, conclude } from './asked.js';
import { exploring } from './exploring.js';
import { settingOf, written } from './setting.js';

/** Looks at every interleaving of a protocol, or at those that the options leave. */
export function checkBySearch(session: Session, name: string, protocol: Protocol, options: CheckOptions): void {
  const { fair: fairness = 'weak', search = 'breadth', compact = false, workers = 1 } = options;
  const setting = settingOf(session, protocol, options);
  const limits = limitsOf(options, session);
  const reduced = reducedBy(options);
  const longWays = longWaysOf(options);
  const exploration = exploring(session, (onProgress) =>
    explore(protocol, setting.topology, {
      ...setting.budget,
      properties: setting.properties,
      ...{ fairness, limits, search, workers, onProgress },
      coverage: reduced === undefined, // it would keep reductions from much of what they do
      visited: compact ? 'compact' : 'exact',
      ...(compact && options.seed !== undefined ? { seed: options.seed } : {}),
      reduce: options.reduce ?? 'none',
    }),
  );
  const incomplete = stoppedText(exploration, limits) ?? openText(exploration, limits) ?? notJudgedText(exploration, options);
  conclude(session, exploration, incomplete);
  const trace = exploration.properties.find(({ verdict }) => verdict === 'violated')?.trace;
  const file = written(name, options, trace);
  answer(session, options.json, checkReport(exploration, workers, { incomplete, leftOut: setting.leftOut }), () => {
    const parts = [checkSummary({ setting, fairness, workers, exploration, reduced, longWays, incomplete }, session)];
    if (trace) parts.push(`Again: ${againWithTrace(session.argv, options)}\n`);
    if (file !== undefined) parts.push(file);
    return parts.join('\n');
  });
  complain(session, incomplete);
}

/** The option by which states that are like others were left out. */
export const reducedBy = ({ reduce = 'none' }: CheckOptions): string | undefined => (reduce === 'none' ? undefined : `--reduce ${reduce}`);

/** The options for which a run need not be a shortest one. */
export const longWaysOf = (options: CheckOptions): string | undefined =>
  andList([options.search === 'depth' ? '--search depth' : undefined, reducedBy(options)]);

/** Why a search that came to its end left verdicts open; what follows a broken rule is open in any case. */
export function notJudgedText({ properties }: Pick<Exploration, 'properties'>, options: CheckOptions): string | undefined {
  const open = properties.filter(({ verdict }) => verdict === 'incomplete');
  if (open.length === 0 || properties.some(({ trace }) => trace?.header.has('fault'))) return undefined;
  const names = `not judged: ${open.map(({ name }) => `'${name}'`).join(', ')}.`;
  const because = andList([options.compact ? '--compact' : undefined, reducedBy(options)]);
  if (because !== undefined) return `${names} With ${because} no runs are judged; leave that out, or ask of states only, with --safety.`;
  return `${names} With --partition, what is sent across a cut is not counted; leave that out, or ask of states only, with --safety.`;
}

/** Those that are there, joined; undefined when none is. */
function andList(texts: readonly (string | undefined)[]): string | undefined {
  const there = texts.filter((text) => text !== undefined);
  return there.length === 0 ? undefined : there.join(' and ');
}
