/**
 * Random walks through the worlds of a system too large to search. They step over the same tables as
 * the search, so a walk costs as little as one of its paths.
 *
 * Where every action is as likely, a walk ends up in the middle: some of each fault, all messages
 * soon delivered. What goes wrong is at the edges. So each walk draws what it leaves out and what it
 * prefers ({@link Swarm}), and then draws its actions by these weights.
 */
import { faults, Random } from '@conclave/core/internal';
import type { Property } from '@conclave/core/protocol';
import { nodeOf } from '../run-judge/position.js';
import { KernelStore } from '../search/kernel/kernel-store.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { Action } from '../worlds/world.js';
import { WalkJudge } from './walk-judge.js';

interface WalkerOptions {
  readonly seed: number;
  readonly walks: number;
  /** How many steps each walk takes at most. */
  readonly steps: number;
  /** Whether to end with the first walk that refutes a property. */
  readonly untilRefuted?: boolean;
  /** Polled from time to time; true ends the walks. */
  readonly stop?: (() => boolean) | undefined;
  /** Called after each walk. */
  readonly onProgress?: (walks: number, steps: number, states: number) => void;
}

/** How many steps a walk takes between two calls of `stop`. */
const lookEvery = 64;
const ignoreFound = () => {};

/**
 * One action of a world, drawn by weight, and the world after it. The actions come one by one, and are
 * not kept: each takes the place of the one before with probability weight / sum of the weights so far.
 */
class Draw {
  action = -1;
  /** The weight of the action, and of all that were offered. */
  weight = 0;
  #sum = 0;
  readonly vector: Int32Array;

  constructor(
    width: number,
    private readonly random: Random,
  ) {
    this.vector = new Int32Array(width);
  }

  clear(): void {
    this.action = -1;
    this.#sum = 0;
  }

  offer(action: number, weight: number, vector: Int32Array): void {
    this.#sum += weight;
    if (this.random.unit() * this.#sum >= weight) return;
    this.action = action;
    this.weight = weight;
    this.vector.set(vector);
  }
}

/** Takes walks through the worlds of one system, and judges them; the seed decides which walks. */
export class Walker {
  walks = 0;
  steps = 0;
  isStopped = false;
  readonly judge: WalkJudge;
  readonly #swarm: Swarm;
  readonly #store: KernelStore;
  /** The action that the walk takes, and the one among the crashes in the middle of a step. */
  readonly #any: Draw;
  readonly #inside: Draw;
  readonly #vector: Int32Array;
  readonly #next: Int32Array;
  #possible: number[] = [];

  constructor(
    readonly compiled: CompiledWorlds,
    declared: readonly Property[],
    private readonly options: WalkerOptions,
  ) {
    const { width } = compiled;
    const random = new Random(options.seed);
    this.judge = new WalkJudge(compiled, declared);
    this.#swarm = new Swarm(compiled, random);
    this.#store = new KernelStore(width);
    this.#any = new Draw(width, random);
    this.#inside = new Draw(width, random);
    this.#vector = new Int32Array(width);
    this.#next = new Int32Array(width);
  }

  /** How many distinct worlds it has visited. */
  get states(): number {
    return this.#store.size;
  }

  /** Takes all walks, and returns itself. */
  run(): this {
    const { walks, untilRefuted, stop, onProgress } = this.options;
    while (this.walks < walks && !this.isStopped && !(untilRefuted && this.judge.isRefuted)) {
      this.#walk();
      this.walks++;
      this.isStopped ||= this.walks < walks && stop?.() === true;
      onProgress?.(this.walks, this.steps, this.states);
    }
    return this;
  }

  #walk(): void {
    const { steps, stop } = this.options;
    this.#swarm.begin();
    this.compiled.initial(this.#vector);
    this.judge.begin(this.#vector);
    for (let count = 0; ; count++) {
      if (this.#isNew()) this.judge.look(this.#vector);
      this.isStopped = count % lookEvery === lookEvery - 1 && stop?.() === true;
      const action = this.#draw();
      this.judge.end(this.#vector, this.#possible);
      if (action < 0 || this.isStopped || count >= steps) return;
      this.#vector.set(this.#any.vector);
      this.judge.take(action, this.#vector);
      this.steps++;
    }
  }

  #isNew(): boolean {
    const before = this.#store.size;
    this.#store.push(-1, -1, this.#vector);
    this.#store.lookUp(ignoreFound);
    return this.#store.size > before;
  }

  /** Looks at all that is possible in the world, and draws an action; −1 if each one fails. */
  #draw(): number {
    this.#possible = [];
    this.#any.clear();
    this.#inside.clear();
    this.compiled.expand(this.#vector, this.#next, this.#visit, this.#fault);
    // the crashes in the middle of a step count as one: they are many
    const { action, weight, vector } = this.#inside;
    if (action >= 0) this.#any.offer(action, weight, vector);
    return this.#any.action;
  }

  readonly #visit = (action: number): boolean => {
    this.#possible.push(action);
    const draw = this.#swarm.isInside(action) ? this.#inside : this.#any;
    draw.offer(action, this.#swarm.weight(action), this.#next);
    return false;
  };

  readonly #fault = (action: number, step: number): void => {
    this.#possible.push(action);
    this.judge.fails(step);
  };
}

/** How much rarer or more frequent a walk makes faults, commands, time-outs and time. */
const factors: readonly (readonly [pattern: RegExp, drawn: readonly number[]])[] = [
  [/^(restart|heal)$/, [1 / 16, 1, 4]],
  [
    new RegExp(
      `^(crash inside|${faults.faultNames.map((name) => faults.kinds[name].action).join('|')})$`,
    ),
    [0, 1 / 64, 1 / 8, 1],
  ],
  [/^command /, [0, 1 / 16, 1, 1, 4]],
  [/^timeout$/, [1 / 64, 1 / 16, 1, 1]],
  [/^tick$/, [1 / 16, 1, 4]],
];
/** Of single kinds, such as the deliveries of one message on one link: some are slow. */
const ofKinds = [1 / 32, 1, 1, 1, 8];
/** One of so many walks prefers nothing. */
const plainEvery = 4;
/** The weight of what a walk leaves out: it takes that only where nothing else is possible. */
const leftOut = 2 ** -60;

/**
 * What exists in a walk: swarm testing (Groce, Zhang, Eide, Chen, Regehr, Swarm Testing, ISSTA
 * 2012). Each walk leaves out or delays some of the faults and commands as a whole, and makes some
 * links and timers slow: then the others go further.
 */
export class Swarm {
  /** By action: what a walk may leave out or delay as a whole, and its kind. */
  readonly #names: (readonly [group: string, kind: string])[] = [];
  readonly #drawn = new Map<string, number>();
  #weights: number[] = [];
  #isPlain = true;

  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly random: Random,
  ) {}

  /** Begins a walk. */
  begin(): void {
    this.#isPlain = this.random.below(plainEvery) === 0;
    this.#drawn.clear();
    this.#weights = [];
  }

  /** How likely this walk takes an action, relative to the others. */
  weight(action: number): number {
    if (this.#isPlain) return 1;
    const known = this.#weights[action] ?? this.#weightOf(action);
    this.#weights[action] = known;
    return known;
  }

  /** Whether it is a crash in the middle of a step. */
  isInside(action: number): boolean {
    return this.#namesOf(action)[0] === 'crash inside';
  }

  #weightOf(action: number): number {
    const [group, kind] = this.#namesOf(action);
    const [, drawn] = factors.find(([pattern]) => pattern.test(group)) ?? [];
    const factor = drawn ? this.#draw(group, drawn) : 1;
    return (factor || leftOut) * this.#draw(kind, ofKinds);
  }

  #draw(name: string, factors: readonly number[]): number {
    const factor = this.#drawn.get(name) ?? this.random.pick(factors);
    this.#drawn.set(name, factor);
    return factor;
  }

  #namesOf(number: number): readonly [group: string, kind: string] {
    const known = this.#names[number];
    if (known) return known;
    const action = this.compiled.actionOf(number);
    const names = [groupOf(action), kindOf(action)] as const;
    this.#names[number] = names;
    return names;
  }
}

function groupOf(action: Action): string {
  if (action.type === 'command') return `command ${action.command.type}`;
  return action.type === 'crash' && action.during ? 'crash inside' : action.type;
}

/** Such as `deliver request a→b`: a group begins otherwise, or has no place. */
function kindOf(action: Action): string {
  const place = 'from' in action ? `${action.from}→${action.to}` : nodeOf(action);
  const what =
    'message' in action ? action.message.type : action.type === 'timeout' ? action.timer : '';
  return `${groupOf(action)} ${what} ${place}`;
}
