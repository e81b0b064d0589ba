/** The player of a session: it shows a run step by step, or takes random steps. */
import type { Action } from '@conclave/check';
import { Random } from '@conclave/core/internal';
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { say } from '../texts/say.js';
import type { Moment, Session } from './session.js';
import { isInside } from './words.js';

/** How fast it plays: steps a second, on average. */
export const speeds = [0.5, 1, 2, 4, 8, 16, 32] as const;

/** The part of a step's time in which it moves; then it can be looked at. */
const movingPart = 0.8;
/** The part of the motion in which a message arrives; then the node takes its step. */
const arrivingPart = 0.55;

/** In a run with times, a step takes as long as it should between these parts of the average. */
const leastGap = 0.2;
const mostGap = 3;

/** The number of an action. The many crashes in the middle of steps count as one. */
function drawAction(actions: readonly Action[], random: Random): number | undefined {
  if (actions.length === 0) return undefined;
  const numbers = [...actions.keys()];
  const isRare = (number: number) => isInside(actions[number] as Action); // one of its numbers
  const [usual, rare] = [numbers.filter((number) => !isRare(number)), numbers.filter(isRare)];
  return usual[random.below(usual.length + Math.min(1, rare.length))] ?? random.pick(rare);
}

/** How long the longest walk is; each of its moments is kept. */
const longestWalk = 2000;

/**
 * Plays the branch that a session shows, from the moment that is shown; in the pace of its times,
 * where it has some. With a walk it goes on at the end of the branch: by actions drawn from a seed.
 */
export class Player {
  readonly playing = signal(false);
  /** Steps a second. */
  readonly speed = signal<number>(2);
  /** Why it stopped by itself. */
  readonly ended = signal<string | undefined>(undefined);
  /** How long the step to the moment that is shown moves, in milliseconds. */
  readonly motion: ReadonlySignal<number>;
  /** How much of that passes before its node acts: until a message has arrived. */
  readonly arrival: ReadonlySignal<number>;
  /**
   * In a run with times, the virtual time at which messages are drawn when the motion is over. While
   * it plays, they are under way until the next step.
   */
  readonly drawnAt: ReadonlySignal<number | undefined>;
  /** Draws the actions of a walk; undefined without one. */
  #random: Random | undefined;
  #walked = 0;
  #ending: string | undefined;
  /** What it has shown last: anything else means that the user took over. */
  #shown: Moment | undefined;
  /** Milliseconds since the last step. */
  #waited = 0;

  constructor(readonly session: Session) {
    const next = computed(() => {
      const { now, path } = session;
      return this.playing.value ? path.value[now.value.depth + 1]?.step?.time : undefined;
    });
    this.drawnAt = computed(() => {
      const { now, tip } = session;
      const isTimed = tip.value.step?.time !== undefined;
      return isTimed ? (next.value ?? now.value.step?.time ?? 0) : undefined;
    });
    this.motion = computed(() =>
      next.value === undefined ? (1000 / this.speed.value) * movingPart : this.#gap(),
    );
    this.arrival = computed(() => {
      const { stepped } = session;
      const isArrival = stepped.value?.step?.action.type === 'deliver';
      return isArrival && next.value === undefined ? this.motion.value * arrivingPart : 0;
    });
  }

  /** Plays from here; from the beginning where this is the end. `ending` is said at the end. */
  play(ending?: string): void {
    const { now, tip, run, loop } = this.session;
    if (now.value === tip.value && !loop.value) this.session.goTo(run.start);
    this.#begin(undefined);
    this.#ending = ending;
  }

  /** Takes random steps from here: same seed and same moment, same steps. */
  walk(seed: number): void {
    const { session } = this;
    session.tip.value = session.now.value;
    session.loop.value = undefined;
    this.#begin(new Random(seed));
  }

  pause(): void {
    this.playing.value = false;
    this.#random = undefined;
  }

  /** Pauses, or plays; does nothing where there is nothing to play. */
  toggle(): void {
    if (this.playing.value) this.pause();
    else if (this.session.tip.value !== this.session.run.start) this.play();
  }

  /** Takes the steps that are due, at most `most`: a page that was hidden does not race. */
  advance(ms: number, most = 8): void {
    if (!this.playing.value) return;
    if (this.session.now.value !== this.#shown) return this.pause();
    this.#waited += ms;
    for (let taken = 0; taken < most; taken++) {
      const gap = this.#gap();
      if (this.#waited < gap) return;
      this.#waited -= gap;
      if (!this.#step()) return this.pause();
      this.#shown = this.session.now.value;
    }
    this.#waited = 0;
  }

  #begin(random: Random | undefined): void {
    this.#random = random;
    this.#walked = 0;
    this.#ending = undefined;
    this.#waited = 0;
    this.#shown = this.session.now.value;
    this.ended.value = undefined;
    this.playing.value = true;
  }

  #step(): boolean {
    const { session } = this;
    const before = session.now.value;
    session.forward();
    if (session.now.value !== before) return true;
    if (!this.#random) return this.#end(this.#ending);
    if (this.#walked++ >= longestWalk)
      return this.#end(say('Stopped after {longestWalk} steps', { longestWalk }));
    const number = drawAction(session.run.actions(before), this.#random);
    if (number === undefined) return this.#end(say('Nothing more can happen'));
    session.take(number);
    return true;
  }

  #end(why: string | undefined): false {
    this.ended.value = why;
    return false;
  }

  /** How long the moment that is shown stays, in milliseconds. */
  #gap(): number {
    const { now, path, tip } = this.session;
    const usual = 1000 / this.speed.value;
    const next = path.value[now.value.depth + 1]?.step?.time;
    const end = tip.value.step?.time;
    if (next === undefined || end === undefined || end === 0) return usual;
    const average = end / tip.value.depth;
    const part = (next - (now.value.step?.time ?? 0)) / average;
    return usual * Math.min(mostGap, Math.max(leastGap, part));
  }
}
