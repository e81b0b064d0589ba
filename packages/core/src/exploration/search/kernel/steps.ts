import { hashOf } from './hash.js';

/**
 * The layout of a step: the hash of its target, its action, the number of its source, the target
 * itself.
 */
export const offset = { hash: 0, action: 1, source: 2, world: 3 } as const;

/** Steps that are not yet looked up, one after the other in one array. */
export class Steps {
  numbers = new Int32Array(1024);
  /** Where the last one ends. */
  end = 0;
  /** How many numbers a step takes. */
  readonly length: number;

  /** `width`: of the worlds. */
  constructor(private readonly width: number) {
    this.length = offset.world + width;
  }

  push(action: number, source: number, world: Int32Array): void {
    const at = this.end;
    this.end += this.length;
    if (this.end > this.numbers.length) {
      const wider = new Int32Array(2 * this.numbers.length + this.length);
      wider.set(this.numbers);
      this.numbers = wider;
    }
    const numbers = this.numbers;
    numbers[at + offset.hash] = hashOf(world, 0, this.width);
    numbers[at + offset.action] = action;
    numbers[at + offset.source] = source;
    for (let index = 0; index < this.width; index++)
      numbers[at + offset.world + index] = world[index] as number;
  }

  clear(): void {
    this.end = 0;
  }
}
