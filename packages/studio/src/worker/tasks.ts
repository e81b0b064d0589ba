import type { Paths } from '@conclave/core/exploration';
import { type Checked, type CheckInput, type CheckProgress, check } from '../model/check.js';
import { type PathsInput, type PathsProgress, pathsOf } from '../model/paths.js';
import {
  type GraphInput,
  type GraphProgress,
  graph,
  type StateGraph,
} from '../model/state-graph.js';
import type { System } from '../model/system.js';

/**
 * What a worker can be asked: by name, the input of a task, what it tells on its way, and its
 * result. All plain data.
 */
interface Tasks {
  readonly check: {
    readonly input: CheckInput;
    readonly progress: CheckProgress;
    readonly result: Checked;
  };
  readonly graph: {
    readonly input: GraphInput;
    readonly progress: GraphProgress;
    readonly result: StateGraph;
  };
  readonly paths: {
    readonly input: PathsInput;
    readonly progress: PathsProgress;
    readonly result: Paths;
  };
}

export type TaskName = keyof Tasks;
export type Input<T extends TaskName> = Tasks[T]['input'];
export type Progress<T extends TaskName> = Tasks[T]['progress'];
export type Result<T extends TaskName> = Tasks[T]['result'];

/** Each task is a plain function, which runs in Node, too. */
export const tasks: {
  readonly [T in TaskName]: (
    system: System,
    input: Input<T>,
    onProgress: (progress: Progress<T>) => void,
  ) => Result<T> | Promise<Result<T>>;
} = { check, graph, paths: pathsOf };
