import { type PropertyFinding, standardProperties } from '@conclave/core/exploration';
import type { TraceLine } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import type { CheckBudget } from '../input/budget.js';
import { whatToTry } from './what-to-try.js';

const strict = { title: 'Lock', channels: { order: 'fifo', loss: false, duplication: false } } as const;
const lax = { title: 'Link', channels: { order: 'any', loss: true, duplication: true } } as const;
const budget: CheckBudget = {
  ...{ commands: 1, order: 'fifo', losses: 1, duplications: 1, crashes: 1, restarts: 1, partitions: 0, time: 'untimed' },
};

const drop: TraceLine['event'] = { kind: 'drop', call: 'ask', from: 'a' };
const copy: TraceLine['event'] = { kind: 'duplicate', call: 'ask', from: 'a' };
const timeout: TraceLine['event'] = { kind: 'timeout', timer: 'patience' };

const violated = (...events: readonly TraceLine['event'][]): PropertyFinding => ({
  ...{ name: 'safe', kind: 'always', verdict: 'violated' },
  trace: { header: new Map(), lines: events.map((event) => ({ node: 'b', event, effects: [] })) },
});

const told = (text: string) =>
  text
    .split('\n  ')
    .slice(1)
    .map((hint) => hint.trim());

describe('what to try', () => {
  it.each<[string, typeof strict | typeof lax, Partial<CheckBudget>, TraceLine['event'], string]>([
    [
      'a copy',
      strict,
      {},
      copy,
      'A message comes twice here; Lock assumes channels that deliver once: try without --duplicate, or reliable()',
    ],
    ['a copy that should do no harm', lax, {}, copy, 'A message comes twice here, which Link says it stands: what should tell'],
    ['a loss that should do no harm', lax, {}, drop, 'A message is lost here, which Link says it stands: what should repeat it?'],
    [
      'overtaking',
      strict,
      { order: 'any' },
      { kind: 'start' },
      'Messages may overtake here; Lock assumes channels that keep the order: try --order fifo.',
    ],
    ['a restart', strict, {}, { kind: 'restart' }, 'A node restarts here: what must outlive that has to be declared stable.'],
    [
      'a timer',
      strict,
      {},
      timeout,
      'A timer fires here at any moment: with --time bounded it waits for messages that take a bounded time.',
    ],
    ['a timer in bounded time', strict, { time: 'bounded' }, timeout, 'No assumption of Lock was dropped'],
    ['a loss that no budget allows: a message that died with its node', strict, { losses: 0 }, drop, 'No assumption of Lock was dropped'],
  ])('is told after %s', (_, protocol, more, event, hint) => {
    const hints = told(whatToTry({ protocol, budget: { ...budget, ...more } }, [violated(event)]));
    expect(hints).toEqual([expect.stringContaining(hint)]);
  });

  it('is told after a deadlock that no fault made', () => {
    const [, name = ''] = standardProperties;
    const hints = told(whatToTry({ protocol: strict, budget }, [{ ...violated({ kind: 'start' }), name }]));
    expect(hints).toEqual([
      'Nothing can happen at the end, and somebody waits there: which message should have come, and who was to send it?',
    ]);
  });

  it('is told once, however many properties are violated', () => {
    expect(told(whatToTry({ protocol: strict, budget }, [violated(drop), violated(drop, copy)]))).toHaveLength(2);
  });

  it('is not told where nothing is violated, nor where the fault says it itself', () => {
    const fault: PropertyFinding = { ...violated(drop), trace: { header: new Map([['fault', 'unhandled']]), lines: [] } };
    expect(whatToTry({ protocol: strict, budget }, [fault])).toBe('');
    expect(whatToTry({ protocol: strict, budget, longWays: '--search depth' }, [{ name: 'safe', kind: 'always', verdict: 'holds' }])).toBe(
      '',
    );
  });

  it('says that timers of different nodes are in no order in bounded time', () => {
    const at = (node: string) => ({ node, event: timeout, effects: [] });
    const by = (...nodes: readonly string[]): PropertyFinding => ({
      ...violated(),
      trace: { header: new Map(), lines: nodes.map(at) },
    });
    const hints = (finding: PropertyFinding) =>
      told(whatToTry({ protocol: strict, budget: { ...budget, time: 'bounded' }, fairness: 'weak' }, [finding])).join();
    expect(hints(by('a', 'b'))).toContain('Timers of different nodes are in no order here, whatever their delays');
    expect(hints(by('a', 'a'))).not.toContain('Timers of different nodes');
  });

  it('tells in one line what had nothing to look at, and how deadlock is looked for', () => {
    const [, noDeadlock = ''] = standardProperties;
    const vacuous = (name: string): PropertyFinding => ({ name, kind: 'always', verdict: 'vacuous' });
    expect(told(whatToTry({ protocol: strict, budget }, [vacuous('one'), vacuous(noDeadlock), vacuous('two')]))).toEqual([
      'No node ever waits here, so no deadlock could be found: say which do, by the tag waiting or by waiting: (node) => …, or say waiting: false.',
      "Nothing to look at: 'one', 'two'. Allow more, by --entries, --initiators or --topology.",
    ]);
  });
});
