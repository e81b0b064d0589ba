import type { Tracker } from '../../judge/tracker.js';
import type { Property } from '../../protocol/property.js';
import { tellMoment } from '../run-judge/moment.js';
import { KernelStore } from '../search/kernel/kernel-store.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { CompiledProperty } from '../verdicts/properties/compiled-property.js';
import { type Choice, NextStep } from './next-step.js';
import type { News } from './novelty.js';
import { mixed } from './numbers.js';
import { type Evidence, Questions } from './questions.js';
import { TakenMoment } from './taken-moment.js';

/** What one walk is to do. */
export interface Task {
  readonly seed: number;
  /** The choices that it begins with, as far as they are possible; undefined: any. */
  readonly plan: readonly (Choice | undefined)[];
  /** How many steps it takes at most. */
  readonly steps: number;
  /** Polled from time to time; true ends it. */
  readonly stop: (() => boolean) | undefined;
}

/** What one walk has done, and what it has shown that was not known before. */
export interface Walked extends Pick<News, 'features' | 'pairs'> {
  readonly steps: number;
  /** Its choices up to the last world that showed something new. */
  readonly choices: readonly Choice[];
  readonly evidence: readonly (readonly [place: number, evidence: Evidence])[];
  readonly isStopped: boolean;
}

/** How many steps a walk takes between two calls of `stop`. */
const lookEvery = 64;
const nothing = () => {};

/**
 * Takes walks through the worlds of one system. What a walk does depends on its task and on what
 * the walkers were told, not on the walks that this one took before: its tables only save time.
 */
export class Walker {
  readonly questions: Questions;
  readonly #next: NextStep;
  readonly #moment: TakenMoment;
  readonly #store: KernelStore;
  readonly #vector: Int32Array;
  #run: number[] = [];
  #tracked: readonly { readonly asked: CompiledProperty; readonly tracker: Tracker }[] = [];

  constructor(
    readonly compiled: CompiledWorlds,
    declared: readonly Property[],
  ) {
    this.questions = new Questions(compiled, declared);
    this.#next = new NextStep(compiled);
    this.#moment = new TakenMoment(compiled);
    this.#store = new KernelStore(compiled.width);
    this.#vector = new Int32Array(compiled.width);
  }

  /** How many distinct worlds it has visited. */
  get states(): number {
    return this.#store.size;
  }

  learn(news: News): void {
    this.#next.learn(news);
    for (const place of news.decided) this.questions.settle(place);
  }

  walk({ seed, plan, steps, stop }: Task): Walked {
    const next = this.#next;
    this.#begin(seed);
    const choices: Choice[] = [];
    let last = 0;
    let isStopped = false;
    for (let count = 0; ; count++) {
      this.#judge();
      isStopped = count % lookEvery === lookEvery - 1 && stop?.() === true;
      const known = next.features.length;
      next.look(this.#vector, mixed(seed, count + 1), plan[count], this.#fails);
      this.#judgeEnd();
      if (next.features.length > known) last = count + 1;
      if (isStopped || count >= steps) break;
      const action = next.take(this.#vector);
      if (action < 0) break;
      choices.push(next.choiceOf(action));
      this.#run.push(action);
      this.#moment.take(action, this.#vector);
    }
    return {
      steps: choices.length,
      choices: choices.slice(0, last),
      features: next.features,
      pairs: next.pairs,
      evidence: this.questions.found(),
      isStopped,
    };
  }

  #begin(seed: number): void {
    this.#next.begin(seed);
    this.#run = [];
    this.#tracked = this.questions.trackers();
    this.compiled.initial(this.#vector);
    this.#moment.begin(this.#vector);
  }

  readonly #actions = () => this.#run.map((action) => this.compiled.actionOf(action));
  readonly #fails = (step: number) => this.questions.fails(step, this.#actions);

  /** Judges the world that the walk has come to. */
  #judge(): void {
    for (const { asked, tracker } of this.#tracked)
      if (!tracker.decided && tellMoment(tracker, this.#moment))
        this.questions.note(asked, this.#actions());
    const before = this.#store.size;
    this.#store.push(-1, -1, this.#vector);
    this.#store.lookUp(nothing);
    if (this.#store.size > before) this.questions.look(this.#vector, this.#actions);
  }

  /** Judges what is false if the run ends here. */
  #judgeEnd(): void {
    const { outlook } = this.#next;
    if (outlook.isQuiescent(this.#vector)) this.questions.quiescent(this.#vector, this.#actions);
    for (const { asked, tracker } of this.#tracked)
      if (
        !tracker.decided &&
        outlook.mayEnd(asked.kind, this.#vector) &&
        tracker.ended(this.#moment.view).value === 'false'
      )
        this.questions.note(asked, this.#actions(), true);
  }
}
