import type { ConclaveError } from '../protocol/error.js';
import type { World } from './world.js';

/** A step of one node, worked out once: what becomes of it, and what it sends (slot, message, slot, message …). */
export interface LocalStep {
  readonly action: number;
  readonly place: number;
  readonly sends: readonly number[];
  /** Choices it opens; then the environment changes, too. */
  readonly choosing: World['choosing'];
  readonly error?: ConclaveError;
}

/**
 * Steps in one array of integers, where each begins at its number: action, place, where its sends end, whether it is `rare`; then the sends.
 * Rare are those that break the rules or open choices.
 */
export class StepTable {
  code = new Int32Array(1024);
  #end = 0;
  readonly #rare = new Map<number, LocalStep>();

  add(step: LocalStep): number {
    const { action, place, sends, choosing, error } = step;
    const number = this.#end;
    this.#end += 4 + sends.length;
    while (this.#end > this.code.length) {
      const wider = new Int32Array(2 * this.code.length);
      wider.set(this.code);
      this.code = wider;
    }
    const isRare = error !== undefined || choosing.length > 0;
    this.code.set([action, place, this.#end, isRare ? 1 : 0, ...sends], number);
    if (isRare) this.#rare.set(number, step);
    return number;
  }

  action(step: number): number {
    return this.code[step] as number;
  }

  /** A step as it was added. */
  step(number: number): LocalStep {
    const [action = 0, place = 0, end = 0] = this.code.subarray(number, number + 3);
    return this.#rare.get(number) ?? { action, place, sends: [...this.code.subarray(number + 4, end)], choosing: [] };
  }
}
