import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { ConfigurationTable } from '../search/tables/configuration-table.js';
import { type KnownAction, KnownActions } from './known-actions.js';
import { type News, Novelty, type Shown } from './novelty.js';
import { mixed } from './numbers.js';
import { Outlook } from './outlook.js';
import { Swarm } from './swarm.js';

/** A choice of a run: the numbers of its action and of the kind of the action. */
export interface Choice {
  readonly exact: number;
  readonly kind: number;
}

/** How much likelier a step is that shows something new. */
const bonus = 16;
/** The ranks of the choice that is wanted, and of one of its kind; all others are above. */
const [wantedRank, kindRank] = [-2, -1];

/** The best action of a world, of all or of some. */
class Best {
  action = -1;
  rank = Infinity;
  shown: Shown | undefined;
  readonly vector: Int32Array;

  constructor(width: number) {
    this.vector = new Int32Array(width);
  }

  clear(): void {
    this.action = -1;
    this.rank = Infinity;
  }

  offer(action: number, rank: number, shown: Shown, vector: Int32Array): void {
    if (rank >= this.rank) return;
    this.action = action;
    this.rank = rank;
    this.shown = shown;
    this.vector.set(vector);
  }
}

/** All that is possible in a world of a walk, and which of it the walk takes. */
export class NextStep {
  readonly outlook: Outlook;
  /** What this walk has shown that was not known before it. */
  features: string[] = [];
  readonly #actions: KnownActions;
  readonly #novelty: Novelty;
  /** By feature: whether all walkers know it, and the world in which a walk last noted it. */
  readonly #isKnown: boolean[] = [];
  readonly #notedAt: number[] = [];
  /** By pair: how often other walks have taken it, and this one. */
  readonly #counts: number[] = [];
  readonly #own = new Map<number, number>();
  readonly #any: Best;
  readonly #inside: Best;
  /** Of what this walk leaves out. */
  readonly #masked: Best;
  readonly #next: Int32Array;
  #vector: Int32Array = new Int32Array(0);
  #fails: (step: number) => void = () => {};
  /** The weight of the best crash in the middle of a step. */
  #weightInside = 1;
  /** How many worlds were looked at, and how many before this walk. */
  #looks = 0;
  #looksBefore = 0;
  #swarm = new Swarm(0);
  #wanted: Choice | undefined;
  #seed = 0;

  constructor(private readonly compiled: CompiledWorlds) {
    this.outlook = new Outlook(compiled);
    this.#actions = new KnownActions(compiled);
    this.#novelty = new Novelty(compiled, this.#actions);
    this.#any = new Best(compiled.width);
    this.#inside = new Best(compiled.width);
    this.#masked = new Best(compiled.width);
    this.#next = new Int32Array(compiled.width);
  }

  /** Begins a walk. */
  begin(seed: number): void {
    this.#looksBefore = this.#looks;
    this.#swarm = new Swarm(seed);
    this.features = [];
    this.#own.clear();
  }

  learn({ features, pairs }: News): void {
    const { features: known, pairs: numbers } = this.#novelty;
    for (const text of features) this.#isKnown[known.id(text, () => text)] = true;
    for (const [text, count] of pairs) {
      const pair = numbers.id(text, () => text);
      this.#counts[pair] = (this.#counts[pair] ?? 0) + count;
    }
  }

  /** How often this walk has taken each pair of state and event. */
  get pairs(): ReadonlyMap<string, number> {
    return new Map([...this.#own].map(([pair, count]) => [this.#novelty.pairs.item(pair), count]));
  }

  /** Looks at all that is possible in `vector`; `fails` is called for each step that fails. */
  look(
    vector: Int32Array,
    seed: number,
    wanted: Choice | undefined,
    fails: (step: number) => void,
  ): void {
    this.#looks++;
    this.#vector = vector;
    this.#seed = seed;
    this.#wanted = wanted;
    this.#fails = fails;
    for (const best of [this.#any, this.#inside, this.#masked]) best.clear();
    this.outlook.clear();
    this.#noteNew(this.#novelty.ofWorld(vector));
    this.compiled.expand(vector, this.#next, this.#visit, this.#fault);
  }

  /** Takes a step: writes the world after it, and returns its action; −1 if each one fails. */
  take(into: Int32Array): number {
    // the crashes in the middle of a step count as one: they are many
    const rank = rankOf(mixed(this.#seed, 1), this.#weightInside);
    if (this.#inside.action >= 0 && rank < this.#any.rank) return this.#taken(this.#inside, into);
    return this.#taken(this.#any.action >= 0 ? this.#any : this.#masked, into);
  }

  choiceOf(action: number): Choice {
    const { exact, kind } = this.#actions.of(action);
    return { exact, kind };
  }

  #taken({ action, shown, vector }: Best, into: Int32Array): number {
    if (action < 0 || !shown) return -1;
    into.set(vector);
    this.#own.set(shown.pair, (this.#own.get(shown.pair) ?? 0) + 1);
    return action;
  }

  readonly #visit = (action: number): boolean => {
    const known = this.#actions.of(action);
    this.outlook.note(known);
    const { node } = known;
    const state = node < 0 ? 0 : this.#stateOf(node);
    const shown = this.#novelty.of(node, state, action);
    const isNew = shown.features.length > 0 && this.#noteNew(shown);
    const draw = mixed(this.#seed, known.exact);
    const { kind, exact } = this.#wanted ?? {};
    if (kind === known.kind) {
      const rank = exact === known.exact ? wantedRank : kindRank + draw / 2 ** 33;
      this.#any.offer(action, rank, shown, this.#next);
      return false;
    }
    const weight = this.#weight(known, shown) * (isNew ? bonus : 1);
    if (weight === 0) this.#masked.offer(action, draw, shown, this.#next);
    else if (known.isInside) this.#offerInside(action, draw, weight, shown);
    else this.#any.offer(action, rankOf(draw, weight), shown, this.#next);
    return false;
  };

  #offerInside(action: number, draw: number, weight: number, shown: Shown): void {
    const rank = rankOf(draw, weight);
    if (rank < this.#inside.rank) this.#weightInside = weight;
    this.#inside.offer(action, rank, shown, this.#next);
  }

  readonly #fault = (action: number, step: number): void => {
    this.outlook.note(this.#actions.of(action));
    this.#fails(step);
  };

  #weight({ group, kind }: KnownAction, { pair }: Shown): number {
    const factor = this.#swarm.ofGroup(group, this.#actions.groups[group] as string); // its name
    if (factor === 0) return 0;
    const taken = (this.#counts[pair] ?? 0) + (this.#own.get(pair) ?? 0);
    return (factor * this.#swarm.ofKind(kind)) / Math.sqrt(Math.sqrt(1 + taken));
  }

  /** Notes what is new in a step; whether something is that this walk had not noted before. */
  #noteNew(shown: Shown): boolean {
    let isOpen = false;
    let isNew = false;
    for (const feature of shown.features) {
      if (this.#isKnown[feature]) continue;
      isOpen = true;
      const noted = this.#notedAt[feature] ?? 0;
      if (noted <= this.#looksBefore) {
        this.#notedAt[feature] = this.#looks;
        this.features.push(this.#novelty.features.item(feature));
      }
      isNew ||= noted <= this.#looksBefore || noted === this.#looks;
    }
    if (!isOpen) shown.features = [];
    return isNew;
  }

  #stateOf(node: number): number {
    const places = this.compiled.configurations[node] as ConfigurationTable; // of each node
    return places.stateOf(this.#vector[node] as number);
  }
}

/** The smaller, the better: the larger the weight, the smaller on average. */
const rankOf = (draw: number, weight: number): number => (draw + 1) / weight;
