/** How properties stand at a moment, which step a loop starves, whether a goal is reached. */
import type { Action } from '@conclave/check';
import { RunJudge } from '@conclave/check/internal';
import { isOfRuns, kindOfProperty } from '@conclave/core/internal';
import { computed, type ReadonlySignal } from '@preact/signals';
import { memo } from '../base/collections.js';
import type { Goal } from '../link/link.js';
import { say, type Text } from '../texts/say.js';
import type { Moment, Run, Session } from './session.js';
import type { System } from './system.js';
import { wordsOf } from './words.js';

type JudgedRun = ReturnType<RunJudge['begin']>;
type Standing = JudgedRun['standings'][number];

export interface Badge extends Standing {
  /** False: the moment where it first was. */
  readonly since?: Moment;
}

/** The properties of the protocol, and then the standard ones, at the moment that is shown. */
export const badges = memo(
  (session: Session): ReadonlySignal<readonly Badge[]> =>
    computed(() => badgesAt(session)(session.now.value)),
);

/** At a moment of the branch that is shown. */
export const badgesAt = memo((session: Session): ((now: Moment) => readonly Badge[]) => {
  const judging = new Judging(session.system);
  return (now) => {
    const [tip, first] = [session.tip.value, session.loop.value];
    const isInLoop = first && now.depth >= first.depth;
    const repeated = isInLoop ? judging.repeated(first, tip) : undefined;
    if (!repeated || first === tip) return repeated ?? judging.at(now);
    const starved = first && starvedOn(session.run, first, tip);
    return starved
      ? repeated.map((badge) => unfair(badge, wordsOf(session.system, tip.world, starved)))
      : repeated;
  };
});

/** A property of runs that is false on a run which is not fair. */
function unfair(badge: Badge, action: string): Badge {
  if (badge.value !== 'false' || !isOfRuns(badge)) return badge;
  const but = say("But this run is not fair: '{action}' stays possible and never happens.", {
    action,
  });
  return { ...badge, reason: `${badge.reason} ${but}` };
}

/** Judges each moment once, however often it is shown. */
class Judging {
  readonly #judge: RunJudge;
  readonly #runs = new WeakMap<Moment, JudgedRun>();
  readonly #badges = new WeakMap<Moment, readonly Badge[]>();

  constructor({ worlds }: Pick<System, 'worlds'>) {
    this.#judge = new RunJudge(worlds);
  }

  at(moment: Moment): readonly Badge[] {
    const known = this.#badges.get(moment);
    if (known) return known;
    const badges = this.#runTo(moment).standings.map((standing, index) =>
      standing.value === 'false' ? { ...standing, since: this.#since(moment, index) } : standing,
    );
    this.#badges.set(moment, badges);
    return badges;
  }

  /** On the infinite run from `tip` back to `first`; undefined where their worlds differ. */
  repeated(first: Moment, tip: Moment): readonly Badge[] | undefined {
    const before = this.at(tip);
    return this.#judge
      .repeated(this.#runTo(first), this.#runTo(tip))
      ?.map((standing, index) =>
        standing.value === 'false'
          ? { ...standing, since: before[index]?.since ?? first }
          : standing,
      );
  }

  #runTo(moment: Moment): JudgedRun {
    const open: Moment[] = [];
    for (let at: Moment | undefined = moment; at && !this.#runs.has(at); at = at.step?.from)
      open.push(at);
    for (const next of open.reverse()) this.#runs.set(next, this.#runAfter(next));
    return this.#runs.get(moment) ?? this.#judge.begin();
  }

  #runAfter({ step, world }: Moment): JudgedRun {
    const before = step && this.#runs.get(step.from);
    return before
      ? this.#judge.after(before, step.action, step.fault ?? world)
      : this.#judge.begin();
  }

  /** The first of the moments before this one at all of which the property is false. */
  #since(moment: Moment, index: number): Moment {
    let first = moment;
    for (
      let at = first.step?.from;
      at && this.#runs.get(at)?.standing(index).value === 'false';
      at = at.step?.from
    ) {
      const known = this.#badges.get(at)?.[index]?.since;
      if (known) return known;
      first = at;
    }
    return first;
  }
}

/** What a property of a kind demands: a sentence, or its title where none is written. */
export function kindText({ kind }: Pick<Badge, 'kind'>): string {
  const text = kindTexts[kind];
  return text ? say(text) : kindOfProperty({ kind }).title;
}

const kindTexts: Readonly<Partial<Record<Badge['kind'], Text>>> = {
  always: 'Always: it must hold in every world.',
  never: 'Never: it must hold in no world.',
  sometimes: 'Sometimes: some path must reach a world where it holds.',
  eventually: 'Eventually: every run must reach a world where it holds.',
  almostSurely:
    'Almost surely: with probability 1 a run must reach a world where it holds; draws are random.',
  alwaysEventually: 'Again and again: after each moment of a run it must hold at some later one.',
  leadsTo: 'Leads to: each trigger must be followed by its response, node by node.',
  atMost: 'At most: the messages so far are bounded by the commands so far.',
  increases: 'Increases: each new number must be larger than all before.',
  everyStep: 'Every step: each step of each node must be allowed.',
  overtaken: 'Overtaken: while one node waits, the others may enter only so often.',
};

/** How far somebody is with an exercise. */
export type Attempt =
  | { readonly kind: 'solved'; readonly steps: number }
  /** It is violated, but after more steps than allowed. */
  | { readonly kind: 'too long'; readonly steps: number }
  | { readonly kind: 'open'; readonly left: number }
  /** The protocol has no such property. */
  | { readonly kind: 'unknown' };

/** @param depth how many steps were taken */
export function attemptAt(
  { property, within }: Goal,
  badges: readonly Badge[],
  depth: number,
): Attempt {
  const badge = badges.find(({ name }) => name === property);
  if (!badge) return { kind: 'unknown' };
  if (badge.value !== 'false') return { kind: 'open', left: within - depth };
  const steps = badge.since?.depth ?? depth;
  return { kind: steps <= within ? 'solved' : 'too long', steps };
}

/**
 * An action that is possible all the way around an infinite run and never happens, although a fair
 * run would take it: a delivery, a timer, a choice or an obligatory command. Undefined where there
 * is none.
 *
 * @param first the moment to which the step of `tip` returns; before `tip`
 */
export function starvedOn(run: Run, first: Moment, tip: Moment): Action | undefined {
  const around = run.path(tip).slice(first.depth + 1);
  const taken = new Set(around.flatMap(({ step }) => (step ? [JSON.stringify(step.action)] : [])));
  const isFair = (action: Action) =>
    action.type === 'deliver' ||
    action.type === 'timeout' ||
    action.type === 'choose' ||
    (action.type === 'command' &&
      run.system.protocol.commands[action.command.type]?.kind === 'obligatory');
  const possible = around.map(
    (moment) => new Set(run.actions(moment).map((action) => JSON.stringify(action))),
  );
  return run.actions(tip).find((action) => {
    const text = JSON.stringify(action);
    return isFair(action) && !taken.has(text) && possible.every((texts) => texts.has(text));
  });
}
