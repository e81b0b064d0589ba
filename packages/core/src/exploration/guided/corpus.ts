import { Random } from '../../base/random.js';
import type { Choice } from './next-step.js';

type Plan = readonly (Choice | undefined)[];

/** How many of so many walks begin anew. */
const anew = 4;
/** How many choices are replaced, or inserted, at most. */
const mostReplaced = 4;
const mostInserted = 12;

/** Runs that have shown something new, for later walks to begin with. */
export class Corpus {
  readonly #runs: (readonly Choice[])[] = [];

  get size(): number {
    return this.#runs.length;
  }

  add(run: readonly Choice[]): void {
    if (run.length > 0) this.#runs.push(run);
  }

  /** What a walk begins with: a run of the corpus with a change, or nothing. */
  plan(seed: number): Plan {
    const random = new Random(seed);
    if (this.#runs.length === 0 || random.below(anew) === 0) return [];
    const run = this.#pick(random);
    const cut = run.length - Math.floor(run.length * random.unit() ** 2); // rather a late one
    const [begun, left] = [run.slice(0, cut), run.slice(cut)];
    switch (random.below(5)) {
      case 0:
        return begun;
      case 1: {
        const other = this.#pick(random);
        return [...begun, ...other.slice(random.below(other.length))];
      }
      case 2:
        return replaced(run, random);
      case 3:
        return [...begun, ...burst(1 + random.below(mostInserted)), ...left];
      default:
        return run;
    }
  }

  /** A run, rather one of the last ones. */
  #pick(random: Random): readonly Choice[] {
    const back = Math.floor(this.#runs.length * random.unit() ** 2);
    return this.#runs[this.#runs.length - 1 - back] as readonly Choice[]; // there are that many
  }
}

const burst = (length: number): Plan => Array.from({ length }, () => undefined);

/** The run, with any choice in some places. */
function replaced(run: Plan, random: Random): Plan {
  const plan = [...run];
  for (let count = 1 + random.below(mostReplaced); count > 0; count--)
    plan[random.below(plan.length)] = undefined;
  return plan;
}
