/**
 * Counterexamples of a check: as text with a mark where the run begins to repeat, in JSON, and as a
 * link that opens the run in the studio. The link names the system and the actions, not the states:
 * the studio takes the steps itself, so that it can go on from any of them.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Exploration, PropertyFinding } from '@conclave/check';
import { faults, readable } from '@conclave/core/internal';
import { readableLines } from '@conclave/core/internal/trace';
import type { Protocol, TimeModel } from '@conclave/core/protocol';
import { linesText, type Trace, traceText } from '@conclave/core/trace';
import { pageUrl } from '@conclave/studio/internal/page';
import { type Link, linkText } from '@conclave/studio/link';
import { looksLikePath } from '../input/module.js';
import { defined } from '../input/options.js';
import { commandLine } from '../output/files.js';
import { counted, type Verdict } from '../output/text.js';
import type { Session } from '../session.js';
import type { NetworkCheck } from './options.js';

export const isViolated = ({ verdict }: { readonly verdict: Verdict }): boolean =>
  verdict === 'violated';

/** The run that violates the first violated property. */
export const counterexampleIn = (
  findings: readonly Pick<PropertyFinding, 'verdict' | 'trace'>[],
): Trace | undefined => findings.find(isViolated)?.trace;

/** What `--json` prints of a finding; the link opens a counterexample in the studio. */
type FindingReport = Omit<PropertyFinding, 'trace' | 'steps' | 'loopsFromStep' | 'others'> & {
  readonly trace: string | undefined;
  readonly others?: readonly Pick<FindingReport, 'trace' | 'link' | 'reason'>[];
  readonly link: string | undefined;
};

/** What was found in one system; in exact time, its tick numbers the actions of a link. */
type Found = Pick<Exploration, 'properties' | 'tick'>;

export const findingReports = (
  check: NetworkCheck,
  { properties: findings, tick }: Found,
): readonly FindingReport[] =>
  findings.map((finding) => {
    const { trace, steps: _, loopsFromStep: __, others, ...found } = finding;
    const link = linkTo(check, finding, tick);
    const more = others?.map(({ trace, steps, reason }) => ({
      trace: traceText(trace),
      link: linkTo(check, { ...finding, steps }, tick),
      ...defined({ reason }),
    }));
    return { ...found, trace: trace && traceText(trace), link, ...defined({ others: more }) };
  });

/** The runs that violate properties, and how to look at them. */
export const counterexamples = (
  check: NetworkCheck,
  { properties: findings, tick }: Found,
): readonly string[] =>
  findings
    .filter(isViolated)
    .flatMap((finding) => [finding, ...othersOf(finding)])
    .map((finding) => {
      const { name, trace, loopsFrom } = finding;
      const lines = trace ? readableLines(check.protocol, trace.lines) : [];
      const steps = linesText(lines).split('\n').slice(0, -1);
      const fault = trace?.header.get('fault');
      const failure = fault === undefined ? '' : `${readable(check.protocol).shown(fault)}\n`;
      const run = markedSteps(name, steps, loopsFrom, check.session.colours);
      return `${run}${failure}${lookLine(check, finding, tick)}`;
    });

/** The other counterexamples, each as a finding. */
const othersOf = (finding: PropertyFinding): readonly PropertyFinding[] =>
  (finding.others ?? []).map((other) => ({ ...finding, ...other }));

/** A run that violates a property, with a mark where it ends or begins to repeat. */
export function markedSteps(
  name: string,
  steps: readonly string[],
  loopsFrom: number | undefined,
  { red, dim }: Session['colours'],
): string {
  const ends = loopsFrom === steps.length;
  const after =
    steps.length === 0 ? 'in the initial state' : `after ${counted(steps.length, 'step')}`;
  const mark =
    loopsFrom === undefined
      ? []
      : [dim(ends ? '— nothing more happens —' : '— from here on, repeated forever —')];
  const lines = [
    ...shortened(steps.slice(0, loopsFrom)),
    ...mark,
    ...shortened(steps.slice(loopsFrom ?? steps.length)),
  ];
  const title = `${red('✗')} ${name}, ${loopsFrom === undefined || ends ? after : 'on an infinite run'}:`;
  return [title, ...lines].map((line) => `${line}\n`).join('');
}

/** The beginning and the end of a long run; a trace file has all of it. */
function shortened(steps: readonly string[]): readonly string[] {
  const [first, last] = [10, 20];
  const left = steps.length - first - last;
  return left <= 1
    ? steps
    : [...steps.slice(0, first), `… ${counted(left, 'step')} …`, ...steps.slice(-last)];
}

type FoundRun = Pick<PropertyFinding, 'verdict' | 'steps' | 'loopsFromStep'>;

/** In exact time, in milliseconds: the actions are numbered with it. */
type Tick = number | undefined;

/**
 * The link to the run of a violated property: a file URL; of a module of the user's own, which the
 * page of the catalogue does not have, only what stands behind `#`. Undefined without such a run.
 */
export function linkTo(check: NetworkCheck, finding: FoundRun, tick: Tick): string | undefined {
  const { verdict, steps, loopsFromStep } = finding;
  if (verdict !== 'violated' || !steps || check.from) return undefined; // its page begins at the start
  const hash = linkText({
    setup: setupOf(check, tick, steps.length),
    view: 'world',
    steps,
    ...defined({ loopsFrom: loopsFromStep }),
  });
  return looksLikePath(check.name) ? hash : `${pageUrl}#${hash}`;
}

/** The line that says how to look at the run of a violated property; empty without such a run. */
export function lookLine(check: NetworkCheck, finding: FoundRun, tick: Tick): string {
  const link = linkTo(check, finding, tick);
  if (link === undefined) return '';
  const { name, options } = check;
  const exported = options.export === undefined ? [] : ['--export', options.export];
  return `Look: ${looksLikePath(name) ? commandLine(['studio', name, ...exported, '--link', link]) : link}\n`;
}

/** The system of a check; what is as by default is left out. `most`: commands where any number may come. */
function setupOf(
  { name, protocol, topology, budget }: NetworkCheck,
  tick: Tick,
  most: number,
): Link['setup'] {
  const { commands, initiators, atomicSteps, unsent, mayCrash, unexpected, order, time } = budget;
  const counted = (count: number, usual = 0) => (count === usual ? undefined : count);
  return {
    protocol: protocol.name,
    options: looksLikePath(name) ? {} : (protocol.options ?? {}),
    topology: topology.spec,
    budget: defined({
      commands: counted(commands === 'unlimited' ? most : commands, 1),
      ...faults.perFault((name) => counted(budget[name])),
      order: order === protocol.channels.order ? undefined : order,
      ...{
        initiators,
        atomicSteps,
        unsent,
        mayCrash,
        unexpected,
        time: timeIn(protocol, time, tick),
      },
    }),
  };
}

/** The model of time, with its tick; undefined where it is that of the protocol, which has none. */
function timeIn({ channels }: Protocol, time: TimeModel, tick: Tick): TimeModel | undefined {
  const fitted = time === 'untimed' || !tick ? time : { ...time, tick };
  return isDeepStrictEqual(fitted, channels.time ?? 'untimed') ? undefined : fitted;
}
