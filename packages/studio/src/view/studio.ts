import type { Action } from '@conclave/check';
import { ConclaveError } from '@conclave/core/protocol';
import { batch, computed, signal } from '@preact/signals';
import { defined, memo } from '../base/collections.js';
import { type Goal, type Link, linkText, type Notes, type Setup } from '../link/link.js';
import { type Moment, Session } from '../model/session.js';
import { type StudioBudget, systemOf } from '../model/system.js';
import { draftName } from '../playground/user-module.js';
import { ownLanguage } from './preferences.js';

/** What the page shows: the catalogue, or a session in one of its views. */
export const session = signal<Session | undefined>(undefined);
export const view = signal<Link['view']>('world');

/** How the world is shown: see the fields of a link. */
export type Frame = Pick<Link, 'as' | 'ahead' | 'panels' | 'script'>;
export const frame = signal<Frame>({});
/** Whether the steps that come are hidden: a hall is asked what happens next. */
const hidesNext = computed(() => frame.value.as === 'presentation' && !frame.value.ahead);
/** The last moment of the branch that is drawn. */
export const lastDrawn = memo((session: Session) =>
  computed(() => (hidesNext.value ? session.now.value : session.tip.value)),
);
/** What is said of the run, by number of steps. */
export const notes = signal<Notes>({});
/** What the reader of an exercise is to violate. */
export const goal = signal<Goal | undefined>(undefined);
/** The run that its reader is to predict. */
export const forecast = signal<readonly number[] | undefined>(undefined);

/** What the run is a counterexample of, up to which moment; of another run it says nothing. */
const refuted = signal<{ readonly property: string; readonly tip: Moment } | undefined>(undefined);

/** The property that the branch which is shown violates, where a check has found it. */
export const refutedBy = ({ tip }: Session): string | undefined =>
  refuted.value?.tip === tip.value ? refuted.value.property : undefined;

/** Says what the branch which is shown is a counterexample of. */
export const refute = ({ tip }: Session, property: string | undefined): void => {
  refuted.value = property === undefined ? undefined : { property, tip: tip.peek() };
};

/** What is written in the playground: the system of its trials, the exercise, and the source as in a link. */
export type Draft = Pick<Link, 'setup' | 'exercise'> & Required<Pick<Link, 'code'>>;
/** Undefined where the playground is not shown. */
export const draft = signal<Draft | undefined>(undefined);

export interface SessionProps {
  readonly session: Session;
}

/** What went wrong last, for the user to read; undefined where nothing did. */
export const problem = signal<ConclaveError | undefined>(undefined);
export const loading = signal<string | undefined>(undefined);

export const hash = computed(() => {
  const link = linkTo();
  return link ? linkText(link) : '';
});

/** The link to what is shown; undefined where that is the catalogue. */
export function linkTo(): Link | undefined {
  const { value: lang } = ownLanguage;
  if (draft.value) return { ...draft.value, view: 'world', steps: [], ...(lang && { lang }) };
  const link = session.value?.link(view.value);
  if (!link) return undefined;
  const { script, ...framed } = frame.value;
  return {
    ...{ ...link, ...framed },
    ...defined({
      lang,
      script: framed.as && script,
      notes: Object.keys(notes.value).length > 0 ? notes.value : undefined,
      goal: goal.value,
      counterexample: session.value && refutedBy(session.value),
      predict: forecast.value,
    }),
  };
}

/** Takes over what a link says beside the session. */
function takeFrame(link: Link | undefined): void {
  const { as, ahead, panels, script, notes: given } = link ?? {};
  frame.value = defined({ as, ahead, panels, script });
  notes.value = given ?? {};
  goal.value = link?.goal;
  forecast.value = link?.predict;
}

/** Runs what a user asked for; an error of theirs is shown, and nothing else changes. */
export async function attempt(work: () => unknown): Promise<void> {
  try {
    problem.value = undefined;
    await work();
  } catch (error) {
    if (!(error instanceof ConclaveError)) throw error;
    problem.value = error;
  }
}

/** Opens a link, in the session that is shown if it has this system; none: the catalogue. */
export async function open(link: Link | undefined): Promise<void> {
  const shown = session.peek();
  const isSame = link && shown && setupText(link.setup) === setupText(shown.system.setup);
  if (isSame) {
    batch(() => {
      view.value = link.view;
      takeFrame(link);
      shown.follow(link);
      refute(shown, link.counterexample);
    });
  } else if (link?.setup.protocol === draftName) write(link);
  else await replace(link);
}

function write({ setup, exercise, code = '' }: Link): void {
  latest++;
  batch(() => {
    draft.value = { setup, code, ...defined({ exercise }) };
    session.value = undefined;
    loading.value = undefined;
    view.value = 'world';
    takeFrame(undefined);
  });
}

export const openSystem = (setup: Setup, shown: Link['view'] = 'world'): Promise<void> =>
  replace({ setup, view: shown, steps: [] });

/** The same run with another budget, such as one more message that may be lost. */
export async function allow(change: StudioBudget): Promise<void> {
  if (session.value) session.value = await session.value.withBudget(change);
}

/** Another budget, and then the action that it was asked for. */
export async function allowAndTake(change: StudioBudget, action: Action): Promise<void> {
  await allow(change);
  const shown = session.value;
  const text = JSON.stringify(action);
  const number = shown?.run
    .actions(shown.now.value)
    .findIndex((possible) => JSON.stringify(possible) === text);
  if (number !== undefined && number >= 0) shown?.take(number);
}

/** A text that equal setups share. */
export const setupText = (setup: Setup): string => linkText({ setup, view: 'world', steps: [] });

let latest = 0;

/** What was asked for last is shown, in whichever order two links are loaded. */
async function replace(link: Link | undefined): Promise<void> {
  const asked = ++latest;
  loading.value = link?.setup.protocol;
  try {
    if (link) await nextFrame(); // a large system keeps the page busy for a while
    const opened = link && new Session(await systemOf(link.setup));
    if (asked !== latest) return;
    batch(() => {
      session.value = opened;
      draft.value = undefined;
      view.value = link?.view ?? 'world';
      takeFrame(link);
      if (!link || !opened) return;
      opened.follow(link); // where a step does not fit, it shows those before
      refute(opened, link.counterexample);
    });
  } finally {
    if (asked === latest) loading.value = undefined;
  }
}

/** After the page is drawn next, or soon where it is not, such as in a hidden tab. */
export const nextFrame = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 50);
    requestAnimationFrame(() => setTimeout(resolve));
  });
