import { Corpus, type Plan } from './corpus.js';
import { mixed } from './numbers.js';
import type { Evidence } from './questions.js';
import type { Walked, Walker } from './walker.js';

export interface GuidedOptions {
  readonly seed: number;
  readonly walks: number;
  readonly steps: number;
  /** Runs that other walks have kept, which the first ones begin with. */
  readonly begin?: Corpus['runs'] | undefined;
  /** Whether to end with the first round that refutes a property. */
  readonly untilRefuted?: boolean;
  readonly stop?: (() => boolean) | undefined;
  /** Called after each walk. */
  readonly onProgress?: ((walks: number, steps: number) => void) | undefined;
}

interface Made {
  readonly plan: Plan;
  readonly walked: Walked;
}

/** How many walks know the same: those of a round may be taken anywhere, in any order. */
const round = 16;

/**
 * Walks that are led by what none of them has seen. They are taken in rounds: each walk of a round
 * knows what the rounds before have shown, and what it shows is merged in the order of the walks.
 * So the result depends on the seed, and not on how many walkers share a round.
 */
export class GuidedWalks {
  walks = 0;
  steps = 0;
  isStopped = false;
  /** By the place of the property: the run that decides it. */
  readonly evidence = new Map<number, Evidence>();
  readonly features = new Set<string>();
  readonly corpus: Corpus;

  constructor(
    private readonly walkers: readonly [Walker, ...Walker[]],
    private readonly options: GuidedOptions,
  ) {
    this.corpus = new Corpus(options.begin);
  }

  run(): void {
    const { walks, untilRefuted } = this.options;
    while (this.walks < walks && !this.isStopped) {
      this.#merge(this.#round(Math.min(round, walks - this.walks)));
      if (untilRefuted && this.#isRefuted) return;
    }
  }

  get #isRefuted(): boolean {
    const { all } = this.walkers[0].questions.properties;
    return [...this.evidence.keys()].some((place) => all[place]?.kind !== 'sometimes');
  }

  #round(count: number): readonly Made[] {
    const { seed, walks, steps, stop, onProgress } = this.options;
    const made: Made[] = [];
    while (made.length < count && !this.isStopped) {
      const own = mixed(seed, this.walks);
      const walker = this.walkers[this.walks % this.walkers.length] as Walker; // in range
      const plan = this.corpus.plan(this.walks, own);
      const walked = walker.walk({ seed: own, plan, steps, stop });
      made.push({ plan, walked });
      this.walks++;
      this.steps += walked.steps;
      this.isStopped = walked.isStopped || (this.walks < walks && stop?.() === true);
      onProgress?.(this.walks, this.steps);
    }
    return made;
  }

  #merge(round: readonly Made[]): void {
    const features: string[] = [];
    const pairs = new Map<string, number>();
    const decided: number[] = [];
    for (const { plan, walked } of round) {
      const fresh = walked.features.filter((feature) => !this.features.has(feature));
      for (const feature of fresh) this.features.add(feature);
      this.corpus.add(plan, fresh.length > 0 ? walked.choices : undefined);
      features.push(...fresh);
      for (const [pair, count] of walked.pairs) pairs.set(pair, (pairs.get(pair) ?? 0) + count);
      for (const [place, evidence] of walked.evidence) {
        if (this.evidence.has(place)) continue;
        this.evidence.set(place, evidence);
        decided.push(place);
      }
    }
    this.corpus.forget();
    for (const walker of this.walkers) walker.learn({ features, pairs, decided });
  }
}
