/** Sequential objects for `linearizable`, and what they answer. */
import { differenceOf } from '@conclave/core/internal';
import type { Json } from '@conclave/core/protocol';
import { badInput } from '../base/bad-input.js';
import type { Operation, SequentialObject } from './linearizable.js';

export type RegisterInput =
  | { readonly type: 'read' }
  | { readonly type: 'write'; readonly value: Json }
  /** Writes `to` where the value is `from`; answers whether it has. */
  | { readonly type: 'compareAndSet'; readonly from: Json; readonly to: Json };
export type CounterInput =
  | { readonly type: 'read' }
  /** Adds `by`, 1 where it is left out; answers the sum, where the answer is known. */
  | { readonly type: 'add'; readonly by?: number };
export type QueueInput =
  | { readonly type: 'enqueue'; readonly value: Json }
  /** Answers the oldest value, or null where there is none. */
  | { readonly type: 'dequeue' };
/** Of `process`. An acquisition answers its fencing token, larger than all before, if it has one. */
export type LockInput = { readonly type: 'acquire' | 'release' };

/**
 * The state after an operation that answers `answer`; undefined where another answer was recorded. An
 * operation that has ended must have one.
 */
function answered<S>(
  operation: Operation<unknown, unknown>,
  answer: Json,
  after: S,
): S | undefined {
  const { process, input, output, end } = operation;
  if (output === undefined && end !== undefined)
    throw badInput(
      `An operation of ${process} has ended without an output: ${JSON.stringify(input)}`,
      'Give what it was told, or leave out its end where that is not known.',
    );
  return output === undefined || isEqual(output, answer) ? after : undefined;
}

const isEqual = (a: unknown, b: unknown): boolean => differenceOf(a, b) === undefined;

/** Objects that histories are compared with. */
export const sequential = {
  /** Operations: {@link RegisterInput}. */
  register: (initial: Json): SequentialObject<Json, RegisterInput> => ({
    initial,
    next: (value, operation) => {
      const { input } = operation;
      if (input.type === 'read') return answered(operation, value, value);
      if (input.type === 'write') return input.value;
      const isSet = isEqual(value, input.from);
      return answered(operation, isSet, isSet ? input.to : value);
    },
  }),
  /** Operations: {@link CounterInput}. */
  counter: (initial = 0): SequentialObject<number, CounterInput> => ({
    initial,
    next: (sum, operation) => {
      const { input, output } = operation;
      if (input.type === 'read') return answered(operation, sum, sum);
      const after = sum + (input.by ?? 1);
      return output === undefined || output === after ? after : undefined;
    },
  }),
  /** First in, first out. Operations: {@link QueueInput}. */
  queue: (initial: readonly Json[] = []): SequentialObject<readonly Json[], QueueInput> => ({
    initial,
    next: (values, operation) => {
      const { input } = operation;
      if (input.type === 'enqueue') return [...values, input.value];
      return answered(operation, values[0] ?? null, values.slice(1));
    },
  }),
  /**
   * A lock that one process has at a time, until it releases it; nobody takes it over. Operations:
   * {@link LockInput}.
   */
  lock: (): SequentialObject<
    { readonly holder: string | null; readonly token: number },
    LockInput,
    number
  > => ({
    initial: { holder: null, token: 0 },
    next: ({ holder, token }, { process, input, output }) => {
      if (input.type === 'release') return holder === process ? { holder: null, token } : undefined;
      return holder === null && (output === undefined || output > token)
        ? { holder: process, token: output ?? token }
        : undefined;
    },
  }),
};
