import { exploreSystem } from '@conclave/check';
import { isOfRuns } from '@conclave/core/internal';
import type { Json } from '@conclave/core/protocol';
import { badInput, isConclaveError, oneLine } from '../errors.js';
import type { UserSystem } from '../input/module.js';
import { again } from '../output/files.js';
import { number, table } from '../output/text.js';
import type { Session } from '../session.js';
import { isViolated, markedSteps } from './counterexample.js';
import { type Check, type CheckOptions, checkOf, requireForSystem } from './options.js';
import { conclude, exploredText } from './outcome.js';
import { limitsOf, limitText, searchRows, withSearchProgress } from './search.js';

type Exploration = ReturnType<typeof exploreSystem<Json, Json>>;

/** Explores every run of a system of plain functions. */
export function checkSystem(
  session: Session,
  name: string,
  options: CheckOptions,
  system: UserSystem,
): void {
  requireForSystem(name, options);
  const { colours } = session;
  const { search: order = 'breadth' } = options;
  const check = checkOf(session, name, options, system.properties);
  const { properties, fairness } = check;
  const limits = limitsOf(check);
  const exploration = whileRunning(check, () =>
    withSearchProgress(session, (onProgress) =>
      exploreSystem(system, { properties, fairness, limits, order, onProgress }),
    ),
  );
  const { limit, properties: findings } = exploration;
  const incomplete = limitText(check, exploration);
  conclude(check, {
    ...{ findings, limit, incomplete },
    report: { system: name, ...exploration },
    summary: () => ({
      title: `${colours.bold(name)}, a system of plain functions`,
      rows: [['fairness', fairness], ...searchRows(exploration)],
      remark: deadlockText(exploration, system),
      complete: `Complete: ${exploredText('', 'an action that fails', findings)}`,
      advice: limit === undefined || limit === 'interrupted' ? '' : ' Raise the limit.',
      more: [
        ...findings.filter(isViolated).map((finding) => pathText(finding, colours)),
        fairnessText(findings, system),
      ],
    }),
  });
}

/** Does `act`. A foreign error is one of the system's functions. */
export function whileRunning<T>({ session, name }: Check<unknown>, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof Error) || isConclaveError(error)) throw error;
    throw badInput(
      `The system '${name}' fails: ${oneLine(error.message)}`,
      `Again: ${again(session.argv)}`,
      error,
    );
  }
}

/** That deadlocks were not looked for, where there may be some. */
function deadlockText({ ends }: Exploration, { done }: UserSystem): string {
  if (done !== undefined || ends === 0) return '';
  const states = ends === 1 ? 'One state has no action' : `${number(ends)} states have no action`;
  return `Not checked: whether a run may end there. ${states}; give done: (state) => true where it may.\n`;
}

/** Which fairness would exclude a run that violates a property. */
function fairnessText(findings: Exploration['properties'], { fair }: UserSystem): string {
  const runs = findings.filter((finding) => isOfRuns(finding) && isViolated(finding));
  if (fair === undefined && runs.length > 0)
    return 'No action is fair here, so each may be postponed forever: say with fair which may not, as in fair: (action) => action.\n';
  const postponed = runs.find(({ unfair = [] }) => unfair.length > 0)?.unfair ?? [];
  return postponed.length === 0
    ? ''
    : `Where a run ends, ${postponed.map(text).join(', ')} may be postponed forever: fair has no class for it.\n`;
}

/** The path to a violation: each action, and what it changes. */
function pathText(
  { name, initial = null, path = [], loopsFrom, fault }: Exploration['properties'][number],
  colours: Session['colours'],
): string {
  const rows = path.map(({ action, state }, index) => [
    text(action),
    changes(path[index - 1]?.state ?? initial, state),
  ]);
  const steps = table(rows).split('\n').slice(0, -1);
  const [title = '', ...lines] = markedSteps(name, steps, loopsFrom, colours).split('\n');
  return (
    [title, `${colours.dim('from')} ${text(initial)}`, ...lines].join('\n') +
    (fault === undefined ? '' : `${oneLine(fault)}\n`)
  );
}

/** The fields that differ, where states have fields; else the new state. */
function changes(before: Json, after: Json): string {
  if (!hasFields(before) || !hasFields(after)) return text(after);
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = fields.filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
  return (
    changed
      .map((field) => `${field}: ${after[field] === undefined ? 'removed' : text(after[field])}`)
      .join(', ') || '(unchanged)'
  );
}

const hasFields = (value: Json): value is { readonly [field: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** On one line; texts without their quotes. */
export const text = (value: Json): string =>
  typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : JSON.stringify(value);
