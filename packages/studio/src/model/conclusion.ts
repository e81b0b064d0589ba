import type { Checked } from './check.js';

export type Finding = Checked['properties'][number];
export type Verdict = Finding['verdict'];

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
export const verdictTexts: Readonly<Record<Verdict, string>> = {
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

const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;

/**
 * The same rules by which `conclave check` chooses its exit code: violated, unknown, or all well.
 */
export function conclusionOf(checked: Checked): Conclusion {
  const { properties } = checked;
  const with_ = (verdict: Verdict) =>
    properties.filter((finding) => finding.verdict === verdict).length;
  const [violated, unreached, vacuous] = [with_('violated'), with_('unreached'), with_('vacuous')];
  const text = extentOf(checked);
  if (violated + unreached > 0) {
    const parts = [
      ...(violated > 0 ? [`${counted(violated, 'property is', 'properties are')} violated.`] : []),
      ...(unreached > 0
        ? [`${counted(unreached, 'property is', 'properties are')} never reached.`]
        : []),
    ];
    return {
      tone: 'false',
      title: violated > 0 ? 'Violated' : 'Unreached',
      text: `${parts.join(' ')} ${text}`,
    };
  }
  if (!checked.complete || with_('incomplete') > 0)
    return { tone: 'undecided', title: 'Incomplete', text };
  if (vacuous > 0)
    return {
      tone: 'undecided',
      title: 'Vacuous',
      text: `${counted(vacuous, 'property never applies', 'properties never apply')}. ${text}`,
    };
  return { tone: 'true', title: 'Holds', text };
}

/** What was looked at, and why something is not known. */
function extentOf({ complete, limit, states, properties, input, leftOut }: Checked): string {
  const { reduce = 'none', limits = {} } = input;
  const open = properties.filter(({ verdict }) => verdict === 'incomplete').length;
  const omitted =
    leftOut.length > 0
      ? ` ${counted(leftOut.length, 'property of runs was', 'properties of runs were')} left out.`
      : '';
  if (!complete) {
    const why = limit === undefined ? 'The search ended early' : limitTexts[limit](limits);
    return `${why}, with ${counted(states, 'world', 'worlds')} found. Other worlds may violate any property: nothing is proved to hold.${omitted}`;
  }
  const what =
    reduce === 'none'
      ? 'Every reachable world was explored.'
      : 'Every reachable world, or an equivalent one, was explored.';
  const undecided = `${counted(open, 'property is', 'properties are')} not decided: `;
  if (open === 0) return `${what}${omitted}`;
  if (limit !== undefined)
    return `${what} ${undecided}${limitTexts[limit](limits).toLowerCase()} before.${omitted}`;
  const isFaulty = properties.some(({ trace }) => trace?.header.has('fault'));
  const why = isFaulty
    ? 'what follows an unhandled message, or a step that fails, was not explored.'
    : reduce === 'none'
      ? 'after a split, messages across it are not counted.'
      : 'with a reduction, nothing is proved of runs.';
  return `${what} ${undecided}${why}${omitted}`;
}

const limitTexts: Readonly<
  Record<NonNullable<Checked['limit']>, (limits: NonNullable<Checked['input']['limits']>) => string>
> = {
  states: ({ states = 0 }) => `The limit of ${counted(states, 'world', 'worlds')} was reached`,
  memory: ({ memory }) =>
    `The limit of memory${memory === undefined ? '' : `, ${memory.toLocaleString('en-US')} MB,`} was reached`,
  seconds: ({ seconds = 0 }) => `The limit of ${seconds.toLocaleString('en-US')} s was reached`,
  depth: () => 'The limit of depth was reached',
  interrupted: () => 'The search was interrupted',
};

/** A counter of which an unfinished search found ever larger values. */
export const growthText = ({ diagnosis: { growing } }: Checked): string | undefined =>
  growing.length === 0
    ? undefined
    : `${growing.map(({ field, least, most }) => `${field} grows (${least} … ${most})`).join('; ')}: the search may never end. Bound the commands.`;

/** How long the run of a finding is, in words. */
export function lengthText({ steps = [], loopsFromStep, trace }: Finding): string {
  const count = steps.length + (trace?.header.has('fault') ? 1 : 0);
  if (loopsFromStep === undefined || loopsFromStep === steps.length)
    return counted(count, 'step', 'steps');
  return `${counted(loopsFromStep, 'step', 'steps')}, then a loop of ${steps.length - loopsFromStep}`;
}
