import { mixed, numberOf } from './numbers.js';

/** How much rarer or more frequent a walk makes faults, commands, time-outs and the rest. */
const factors: readonly (readonly [pattern: RegExp, drawn: readonly number[]])[] = [
  [/^(drop|duplicate|crash|crash inside|split)$/, [0, 1 / 64, 1 / 8, 1]],
  [/^(restart|heal)$/, [1 / 16, 1, 4]],
  [/^command /, [0, 1 / 16, 1, 1, 4]],
  [/^timeout$/, [1 / 64, 1 / 16, 1, 1]],
  [/^tick$/, [1 / 16, 1, 4]],
];
/** Of single kinds, such as the deliveries of one message on one link: some are slow. */
const ofKinds = [1 / 32, 1, 1, 1, 8];
/** How many of so many walks draw nothing. */
const plain = 4;

/**
 * What exists in a walk: swarm testing (Groce, Zhang, Eide, Chen, Regehr, Swarm Testing, ISSTA
 * 2012). Each walk leaves out or delays some of the faults and commands as a whole, and makes some
 * links and timers slow: then the others go further.
 */
export class Swarm {
  readonly #isPlain: boolean;
  readonly #groups: number[] = [];

  constructor(private readonly seed: number) {
    this.#isPlain = seed % plain === 0;
  }

  /** The factor of a group, by its place and name; 0: it does not exist in this walk. */
  ofGroup(place: number, name: string): number {
    if (this.#isPlain) return 1;
    const known = this.#groups[place];
    if (known !== undefined) return known;
    const [, drawn = [1]] = factors.find(([pattern]) => pattern.test(name)) ?? [];
    const factor = drawn[mixed(this.seed, numberOf(name)) % drawn.length] as number; // in range
    this.#groups[place] = factor;
    return factor;
  }

  ofKind(kind: number): number {
    return this.#isPlain ? 1 : (ofKinds[mixed(this.seed, kind) % ofKinds.length] as number);
  }
}
