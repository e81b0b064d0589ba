import type { Property } from '../../protocol/property.js';
import { reliesOnCommands } from '../../protocol/property-kinds.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { KnownAction } from './known-actions.js';

/** Whether a run may end in a world: it is told each action that is possible there. */
export class Outlook {
  #isEnd = true;
  /** Something must happen, besides commands. */
  #mustCome = false;
  #hasObligatory = false;
  #hasCommand = false;

  constructor(private readonly compiled: CompiledWorlds) {}

  clear(): void {
    this.#isEnd = true;
    this.#mustCome = false;
    this.#hasObligatory = false;
    this.#hasCommand = false;
  }

  note({ isCommand, isOptional, mustCome }: KnownAction): void {
    this.#isEnd = false;
    if (isCommand) this.#hasCommand = true;
    if (isCommand && !isOptional) this.#hasObligatory = true;
    else if (mustCome) this.#mustCome = true;
  }

  /** Whether nothing can happen any more. */
  isQuiescent(vector: Int32Array): boolean {
    return this.#isEnd && this.compiled.time?.runs(vector) !== true;
  }

  /** Whether a fair run may end, for a property of this kind: as `Position.mayEnd`. */
  mayEnd(kind: Property['kind'], vector: Int32Array): boolean {
    if (this.compiled.time) return this.isQuiescent(vector);
    if (this.#mustCome) return false;
    return reliesOnCommands(kind) ? !this.#hasCommand : !this.#hasObligatory;
  }
}
