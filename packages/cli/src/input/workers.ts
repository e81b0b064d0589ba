import { availableParallelism } from 'node:os';
import { badInput } from '../errors.js';
import { counted } from '../output/text.js';

/** @throws {ConclaveError} `bad-input` for more threads than the machine runs at once. */
export function requireCores(workers: number | undefined): void {
  const cores = availableParallelism();
  if (workers !== undefined && workers > cores)
    throw badInput(
      `--workers is ${workers}, and this machine runs ${counted(cores, 'thread')} at once`,
      `Give ${cores} at most.`,
    );
}
