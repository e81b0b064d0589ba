/** Model tests of bare machines by XState's own actors: the corpus, and machines that differ. */
import { quickOf } from '@conclave/tools/sample';
import { describe, expect, it, vi } from 'vitest';
import { assign, createMachine, fromPromise, raise, setup } from 'xstate';
import { devices } from '../../../core/src/protocol/bare/corpus/devices.contract.js';
import { fetching } from '../../../core/src/protocol/bare/corpus/fetching.contract.js';
import { screens } from '../../../core/src/protocol/bare/corpus/screens.contract.js';
import { testModel } from './test-model.js';

/** What actors of XState refuse, and the model takes for an effect. */
const refused: Readonly<Record<string, string>> = {
  upload: "Unable to send event to actor 'uploader'",
  client: "Unable to send event to actor '#_parent'",
  chat: "Unable to send event to actor 'client-1'",
};

const corpus = Object.entries({ ...screens, ...fetching, ...devices }).filter(
  ([, bare]) => bare.refused === undefined && bare.fails === undefined,
);

describe('a model test of a bare machine', () => {
  it.each(quickOf(corpus, ([name]) => name !== 'ticTacToe'))(
    'takes all steps of %s',
    async (name, bare) => {
      vi.spyOn(console, 'log').mockImplementation(() => {}); // its actions run
      const { machine, refused: _r, fails: _f, isLive: _l, ...beside } = bare;
      const tested = testModel(machine, beside);
      if (refused[name]) await expect(tested).rejects.toThrow(refused[name]);
      else expect((await tested).comparisons).toBeGreaterThan(0);
    },
  );

  it('ends a promise as the path says, and never calls it', async () => {
    const load = vi.fn(async () => 'real');
    const machine = setup({ actors: { load: fromPromise(load) } }).createMachine({
      context: { shown: '' },
      initial: 'loading',
      states: {
        loading: {
          invoke: {
            src: 'load',
            onDone: {
              target: 'shown',
              actions: assign({ shown: ({ event }) => String(event.output) }),
            },
            onError: 'failed',
          },
          after: { 1000: 'failed' },
        },
        shown: { type: 'final' },
        failed: { on: { retry: 'loading' } },
      },
    });
    const tested = await testModel(machine, { actors: { load: { output: ['one', 'two'] } } });
    // one, two; fails, retry; the timer, which leads to the same
    expect(tested).toEqual({ paths: 4, steps: 5, comparisons: 9 });
    expect(load).not.toHaveBeenCalled();
  });

  it('finds an effect that changes what the machine reads', async () => {
    const machine = setup({ types: {} as { context: { lines: number[] } } }).createMachine({
      context: () => ({ lines: [] }),
      on: { add: { actions: ({ context }) => context.lines.push(1) } },
    });
    await expect(testModel(machine)).rejects.toThrow(
      /^\(machine\)|machine, path 1 of 1, step 1: the machine is not as in its model\nexpected {2}{"context":{"lines":\[\]}}\ngot {7}{"context":{"lines":\[1\]}}\nafter\na {2}add\nReplay: /,
    );
  });

  it('says the run to a step that fails, and what has too many states', async () => {
    const failing = createMachine({
      on: {
        go: { actions: raise({ type: 'on' }) },
        on: { actions: assign(() => JSON.parse('{')) },
      },
    });
    await expect(testModel(failing)).rejects.toThrow(/Node a failed: .*JSON/);
    const counting = setup({ types: {} as { context: { n: number } } }).createMachine({
      context: { n: 0 },
      on: { more: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
    });
    await expect(testModel(counting)).rejects.toThrow('testModel(machine, { commands: 2 })');
    expect((await testModel(counting, { commands: 2 })).steps).toBe(2);
  });
});
