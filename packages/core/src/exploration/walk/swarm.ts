import type { Random } from '../../base/random.js';
import { nodeOf } from '../run-judge/position.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { Action } from '../worlds/world.js';

/** How much rarer or more frequent a walk makes faults, commands, time-outs and time. */
const factors: readonly (readonly [pattern: RegExp, drawn: readonly number[]])[] = [
  [/^(drop|duplicate|crash|crash inside|split)$/, [0, 1 / 64, 1 / 8, 1]],
  [/^(restart|heal)$/, [1 / 16, 1, 4]],
  [/^command /, [0, 1 / 16, 1, 1, 4]],
  [/^timeout$/, [1 / 64, 1 / 16, 1, 1]],
  [/^tick$/, [1 / 16, 1, 4]],
];
/** Of single kinds, such as the deliveries of one message on one link: some are slow. */
const ofKinds = [1 / 32, 1, 1, 1, 8];
/** One of so many walks draws nothing. */
const plain = 4;
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
    this.#isPlain = this.random.below(plain) === 0;
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
