/** A check of the system that is open, and what to conclude from it in a sentence. */
import type { Exploration, ExploreOptions } from '@conclave/check';
import { exploreResumably, type Resumable, runToEnd } from '@conclave/check/internal';
import { isOfRuns } from '@conclave/core/internal';
import { linesText } from '@conclave/core/trace';
import { counted, numeral } from '../base/numbers.js';
import { language, say, type Text } from '../texts/say.js';
import type { System } from './system.js';

/** How a system is checked; its budget is in its setup. */
export interface CheckInput {
  readonly fairness?: NonNullable<ExploreOptions['fairness']>;
  readonly search?: NonNullable<ExploreOptions['search']>;
  /** Judge only properties of states, which takes less memory: runs are not kept. */
  readonly safety?: boolean;
  readonly limits?: CheckLimits;
}

/** Of memory the default is {@link usualMemory}, of the others none. */
export type CheckLimits = Pick<
  NonNullable<ExploreOptions['limits']>,
  'states' | 'memory' | 'seconds'
>;

/** Megabytes: a tab of 64 bits usually has more than twice this, and does not say it. */
export const usualMemory = 1000;

/** From time to time. */
export interface CheckProgress {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  readonly seconds: number;
  /** What the found worlds decide: a `sometimes` is reached, another property is violated. */
  readonly decided: readonly Pick<Exploration['properties'][number], 'name' | 'kind'>[];
}

/** What `explore` found, and what it was not asked. Plain data. */
export interface Checked extends Exploration {
  /** As it was asked, with the defaults. */
  readonly input: Required<CheckInput>;
  /** The properties that were left out: with {@link CheckInput.safety}, those of runs. */
  readonly leftOut: readonly string[];
}

/** Explores every interleaving of a system. @throws {ConclaveError} as `explore` does. */
export const check = (...given: Parameters<typeof checkResumably>): Checked =>
  runToEnd(checkResumably(...given));

/** The same as resumable work: see `exploreResumably`. */
export function* checkResumably(
  { protocol, topology, setup, worlds }: System,
  input: CheckInput,
  onProgress: (progress: CheckProgress) => void,
): Resumable<Checked> {
  const { limits: given = {}, safety = false, fairness = 'weak', search = 'breadth' } = input;
  const { properties } = protocol;
  const limits = { memory: usualMemory, ...given };
  let started = performance.now();
  const work = exploreResumably(protocol, topology, {
    ...setup.budget,
    time: worlds.budget.time ?? 'untimed', // with the tick that numbers the actions of the session
    ...{ fairness, search },
    properties: safety ? properties.filter((property) => !isOfRuns(property)) : properties,
    coverage: true,
    limits,
    onProgress: (states, transitions, depth, decided) =>
      onProgress({
        ...{ states, transitions, depth, seconds: (performance.now() - started) / 1000 },
        decided: decided.map(({ name, kind }) => ({ name, kind })),
      }),
  });
  let step = work.next();
  for (; !step.done; step = work.next()) {
    const before = performance.now();
    yield;
    started += performance.now() - before;
  }
  const found = step.value;
  return {
    ...found,
    input: { fairness, search, safety, limits },
    leftOut: safety ? properties.filter(isOfRuns).map(({ name }) => name) : [],
  };
}

export type Finding = Checked['properties'][number];
type Verdict = Finding['verdict'];

/** Good, bad, or not known: each verdict and each check is one of them. */
export type Tone = 'true' | 'false' | 'undecided';

/** An unreached `sometimes` is bad in a complete check: nothing can reach it. */
export const toneOf = (verdict: Verdict): Tone =>
  verdict === 'holds' || verdict === 'reached'
    ? 'true'
    : verdict === 'violated' || verdict === 'unreached'
      ? 'false'
      : 'undecided';

/** What a verdict means, in a sentence. */
export const verdictTexts: Readonly<Record<Verdict, Text>> = {
  holds: 'It holds: the search was complete, and found no counterexample.',
  violated: 'There is a counterexample.',
  reached: 'Some run reaches it.',
  unreached: 'The search was complete, and no run reaches it: something is never checked.',
  incomplete: 'It is not known: the search ended before it could be decided.',
  vacuous:
    'Nothing in the system makes it true or false: its trigger never occurs, or it reads nothing of the system.',
};

/** What a check says as a whole. */
export interface Conclusion {
  readonly tone: Tone;
  /** One or two words. */
  readonly title: string;
  /** Sentences: how much was looked at, and what is not known. */
  readonly text: string;
}

/** By the rules of the exit code of `conclave check`: violated, unknown, or all well. */
export function conclusionOf(checked: Checked): Conclusion {
  const { properties, complete } = checked;
  const text = extentOf(checked);
  const number = (verdict: Verdict) =>
    properties.filter((finding) => finding.verdict === verdict).length;
  const says = (verdict: Verdict, what: Text, many: Text) =>
    number(verdict) > 0 ? [`${counted(number(verdict), what, many)}.`] : [];
  const bad = [
    ...says('violated', 'property is violated', 'properties are violated'),
    ...says('unreached', 'property is never reached', 'properties are never reached'),
  ];
  if (bad.length > 0) {
    const title = number('violated') > 0 ? say('Violated') : say('Unreached');
    return { tone: 'false', title, text: [...bad, text].join(' ') };
  }
  if (!complete || number('incomplete') > 0)
    return { tone: 'undecided', title: say('Incomplete'), text };
  const [vacuous] = says('vacuous', 'property never applies', 'properties never apply');
  if (vacuous) return { tone: 'undecided', title: say('Vacuous'), text: `${vacuous} ${text}` };
  return { tone: 'true', title: say('Holds'), text };
}

/** What was looked at, and why something is not known. */
function extentOf(checked: Checked): string {
  const { complete, limit, states, properties, input, leftOut } = checked;
  const open = properties.filter(({ verdict }) => verdict === 'incomplete').length;
  const end = limit === undefined ? say('The search ended early') : limitTexts[limit](input.limits);
  const omitted =
    leftOut.length > 0
      ? say(' {properties} left out.', {
          properties: counted(leftOut.length, 'property of runs was', 'properties of runs were'),
        })
      : '';
  if (!complete)
    return say(
      '{end}, with {worlds} found. Other worlds may violate any property: nothing is proved to hold.{omitted}',
      { end, worlds: counted(states, 'world'), omitted },
    );
  const what = say('Every reachable world was explored.');
  if (open === 0) return `${what}${omitted}`;
  const why =
    limit !== undefined
      ? say('{end} before.', { end: language() === 'de' ? end : end.toLowerCase() })
      : properties.some(({ trace }) => trace?.header.has('fault'))
        ? say('what follows an unhandled message, or a step that fails, was not explored.')
        : say('after a split, messages across it are not counted.');
  return say('{what} {properties} not decided: {why}{omitted}', {
    what,
    properties: counted(open, 'property is', 'properties are'),
    why,
    omitted,
  });
}

const limitTexts: Readonly<Record<NonNullable<Checked['limit']>, (limits: CheckLimits) => string>> =
  {
    states: ({ states = 0 }) =>
      say('The limit of {worlds} was reached', { worlds: counted(states, 'world') }),
    memory: ({ memory }) =>
      memory === undefined
        ? say('The limit of memory was reached')
        : say('The limit of memory, {memory} MB, was reached', { memory: numeral(memory) }),
    seconds: ({ seconds = 0 }) =>
      say('The limit of {seconds} s was reached', { seconds: numeral(seconds) }),
    depth: () => say('The limit of depth was reached'),
    interrupted: () => say('The search was interrupted'),
  };

/** A counter of which an unfinished search found ever larger values. */
export const growthText = ({ diagnosis: { growing } }: Checked): string | undefined =>
  growing.length === 0
    ? undefined
    : say('{fields}: if that goes on for ever, so does the search.', {
        fields: growing.map((one) => say('{field} grows ({least} … {most})', one)).join('; '),
      });

/** How long the run of a finding is, in words. */
export function lengthText({ steps = [], loopsFromStep, trace }: Finding): string {
  const count = steps.length + (trace?.header.has('fault') ? 1 : 0);
  if (loopsFromStep === undefined || loopsFromStep === steps.length) return counted(count, 'step');
  return say('{steps}, then a loop of {length}', {
    steps: counted(loopsFromStep, 'step'),
    length: steps.length - loopsFromStep,
  });
}

/** The run as a trace, with a mark where it begins to repeat. */
export function runText({ trace, loopsFrom }: Finding): string {
  if (!trace) return '';
  const { lines } = trace;
  if (lines.length === 0) return `${say('The initial world.')}\n${linesText(trace)}`;
  if (loopsFrom === undefined) return linesText(trace);
  const texts = linesText(lines).split('\n').slice(0, -1);
  const mark =
    loopsFrom === lines.length
      ? say('— nothing more happens —')
      : say('— from here on, repeated forever —');
  return texts.toSpliced(loopsFrom, 0, mark).join('\n');
}

const worst = ['false', 'undecided', 'true'] as const;

export const worstFirst = (findings: readonly Finding[]): readonly Finding[] =>
  findings.toSorted(
    (one, other) => worst.indexOf(toneOf(one.verdict)) - worst.indexOf(toneOf(other.verdict)),
  );
