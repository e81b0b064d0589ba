import { Random } from '../../base/random.js';
import type { Choice } from './next-step.js';

/** The choices that a walk begins with; undefined: any. */
export type Plan = readonly (Choice | undefined)[];

/** The least part of the walks that begin anew, and that do not. */
const leastPart = 0.1;
/** How much the walks of earlier rounds still count. */
const memory = 0.9;
/** How many choices are replaced, or inserted, at most. */
const mostReplaced = 4;
const mostInserted = 12;

/** Runs that have shown something new, for later walks to begin with. */
export class Corpus {
  readonly #runs: (readonly Choice[])[];
  /** Of the walks that began anew, and of the others: how many there were, and had something new. */
  readonly #anew = { walks: 1, new: 1 };
  readonly #again = { walks: 1, new: 1 };

  /** `runs`: those of another corpus, which the first walks begin with, one after the other. */
  constructor(private readonly given: readonly (readonly Choice[])[] = []) {
    this.#runs = [...given];
  }

  get runs(): readonly (readonly Choice[])[] {
    return this.#runs;
  }

  /** A walk that began with this plan has shown something new up to the end of `run`, or nothing. */
  add(plan: Plan, run: readonly Choice[] | undefined): void {
    const kind = plan.length === 0 ? this.#anew : this.#again;
    kind.walks++;
    if (!run || run.length === 0) return;
    kind.new++;
    this.#runs.push(run);
  }

  /** A round is over. */
  forget(): void {
    for (const kind of [this.#anew, this.#again]) {
      kind.walks *= memory;
      kind.new *= memory;
    }
  }

  /** The part of the walks that begin anew: as much as they have shown lately. */
  get #partAnew(): number {
    const gain = ({ walks, new: shown }: { walks: number; new: number }) =>
      (shown + 0.1) / (walks + 0.2);
    const [anew, again] = [gain(this.#anew), gain(this.#again)];
    return Math.min(1 - leastPart, Math.max(leastPart, anew / (anew + again)));
  }

  /** What walk number `walk` begins with: a run of the corpus with a change, or nothing. */
  plan(walk: number, seed: number): Plan {
    const given = this.given[walk];
    if (given) return given;
    const random = new Random(seed);
    if (this.#runs.length === 0 || random.unit() < this.#partAnew) return [];
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
