import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContentTable } from './encoding.js';

type Order = 'fifo' | 'any';

/** What identifies a content: the messages, and under `fifo` their order. */
const key = (order: Order, list: readonly number[]) =>
  (order === 'any' ? list.toSorted((a, b) => a - b) : list).join();

/**
 * The messages that a channel with these contents may deliver next, each with the rest: as arrays,
 * without a table.
 */
function waysOf(order: Order, list: readonly number[]): string[] {
  const heads = order === 'fifo' ? list.slice(0, 1) : [...new Set(list)];
  return heads
    .map((message) => `${message} leaves ${key(order, list.toSpliced(list.indexOf(message), 1))}`)
    .sort();
}

describe.each(['fifo', 'any'] as const)('contents of channels in %s order', (order) => {
  const step = fc.oneof(fc.record({ push: fc.nat(12) }), fc.record({ take: fc.nat() }));
  const pairs = (numbers: readonly number[]) =>
    Array.from({ length: numbers.length / 2 }, (_, index) => ({
      message: numbers[2 * index] ?? -1,
      rest: numbers[2 * index + 1] ?? -1,
    }));

  it('change by sends and deliveries as arrays do, and have one number each', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(step, { maxLength: 15 }), { minLength: 1, maxLength: 4 }),
        (channels) => {
          const table = new ContentTable(order);
          const ids = new Map([['', 0]]);
          for (const steps of channels) {
            let content = 0;
            let list: readonly number[] = [];
            for (const taken of steps) {
              if ('push' in taken) {
                content = table.push(content, taken.push);
                list = [...list, taken.push];
              } else {
                const dequeues = pairs(table.dequeues(content));
                const dequeued = dequeues[taken.take % Math.max(1, dequeues.length)];
                if (!dequeued) continue;
                content = dequeued.rest;
                list = list.toSpliced(list.indexOf(dequeued.message), 1);
              }
              expect(key(order, table.list(content))).toBe(key(order, list));
              expect(
                pairs(table.dequeues(content))
                  .map(({ message, rest }) => `${message} leaves ${key(order, table.list(rest))}`)
                  .sort(),
              ).toEqual(waysOf(order, list));
              const text = key(order, list);
              expect(ids.get(text) ?? content).toBe(content);
              ids.set(text, content);
            }
          }
          expect(new Set(ids.values()).size).toBe(ids.size);
          expect(table.size).toBeGreaterThanOrEqual(ids.size);
        },
      ),
    );
  });

  it('begin empty, and an empty channel delivers nothing', () => {
    const table = new ContentTable(order);
    expect(table.size).toBe(1);
    expect(table.list(0)).toEqual([]);
    expect(table.dequeues(0)).toEqual([]);
  });

  it('do not mix up 1, 11 and 11, 1', () => {
    const table = new ContentTable(order);
    const one = table.push(table.push(0, 1), 11);
    const other = table.push(table.push(0, 11), 1);
    const third = table.push(0, 111);
    expect(one === other).toBe(order === 'any');
    expect(third).not.toBe(one);
    expect(third).not.toBe(other);
  });
});
