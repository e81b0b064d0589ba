import type { Slices } from '@conclave/core/internal/exploration';
import { checkInSlices } from '../model/check.js';
import { pathsOf } from '../model/paths.js';
import { graph } from '../model/state-graph.js';
import type { System } from '../model/system.js';
import { judged } from '../playground/judged.js';
import { tried } from '../playground/tried.js';

/**
 * What a worker can do, by name: each task is a plain function of plain data, which runs in Node,
 * too, and tells its progress. One that works in slices can be held between them.
 */
const functions = { check: checkInSlices, graph, paths: pathsOf, tried, judged };

type Tasks = typeof functions;
export type TaskName = keyof Tasks;
export type Input<T extends TaskName> = Parameters<Tasks[T]>[1];
export type Progress<T extends TaskName> = Parameters<Parameters<Tasks[T]>[2]>[0];
type Made<T extends TaskName> = ReturnType<Tasks[T]>;
export type Result<T extends TaskName> = Made<T> extends Slices<infer R> ? R : Made<T>;

export const tasks: {
  readonly [T in TaskName]: (
    system: System,
    input: Input<T>,
    onProgress: (progress: Progress<T>) => void,
  ) => Made<T>;
} = functions;
