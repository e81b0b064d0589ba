import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { sometimes } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import { proof, quickOf } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { withMachine, withoutSteps } from '../../contract/mutant.js';
import {
  entry,
  exclusion,
  ignoringUnexpected,
  outcomeOf,
} from '../../mutual-exclusion/outcome.contract.js';
import { withoutMemory } from './known-wrong.contract.js';
import { multipleEntries } from './protocol.js';

const [one, two] = [multipleEntries({ entries: 1 }), multipleEntries()];
const ofOne = 'at most one node is in the critical section';
const ofTwo = 'at most 2 nodes are in the critical section';

describe('multiple-entries', () => {
  it.each(
    quickOf(
      [
        [1, 2, {}, 35],
        [2, 3, { initiators: ['a', 'b'] }, 498],
        [2, 3, {}, 29_332],
      ] satisfies [number, number, ExploreOptions, number][],
      ([, , , states]) => states <= 1_000,
    ),
  )(
    'k = %i of %i nodes are inside at once, and never one more: %o, %i states',
    (entries, n, budget, states) => {
      const found = explore(multipleEntries({ entries }), complete(n), {
        ...budget,
        properties: [entries, entries + 1].map((count) =>
          sometimes(`${count} inside`, (system) => system.count('critical') === count),
        ),
      });
      expect(found).toMatchObject({ complete: true, states });
      expect(found.properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual([
        'reached',
        'unreached',
      ]);
    },
  );

  it.each([
    [{}, 35],
    [{ commands: 2 }, 231],
  ])('with k = 1, two nodes have as many states as by Ricart–Agrawala: %o', (budget, states) => {
    const found = outcomeOf(one, complete(2), budget);
    expect(found.states).toBe(states);
    expect(found.verdicts).toMatchObject({ [exclusion]: 'holds', [entry]: 'holds' });
  });
});

describe('multiple-entries assumptions', () => {
  it.each([
    ['a lost message', { losses: 1 }, 'holds', 'violated in 2'],
    ['a duplicated message', { duplications: 1 }, 'violated in 10', 'holds'],
    ['a crash', { crashes: 1 }, 'holds', 'violated in 2'],
    ['a crash and a restart', { crashes: 1, restarts: 1 }, 'violated in 8', 'violated in 2'],
  ] satisfies [string, ExploreOptions, string, string][])(
    'with k = 1, %s: exclusion and entry',
    (_what, fault, safe, live) => {
      const { verdicts } = outcomeOf(ignoringUnexpected(one), complete(2), {
        commands: 2,
        ...fault,
      });
      expect(verdicts).toMatchObject({ [ofOne]: safe, [entry]: live });
    },
  );

  it.each([
    ['a lost message', { losses: 1 }, 1_409],
    ['a crash', { crashes: 1 }, 3_874],
  ] satisfies [string, ExploreOptions, number][])(
    'with k = 2, every live node of three enters in spite of %s, if two request entry',
    (_what, fault, states) => {
      const found = outcomeOf(two, complete(3), { initiators: ['a', 'b'], ...fault });
      expect(found.states).toBe(states);
      expect(found.verdicts).toMatchObject({ [ofTwo]: 'holds', [entry]: 'holds' });
    },
  );

  proof.each([
    ['a lost message', { losses: 1 }, 99_119],
    ['a crash', { crashes: 1 }, 274_504],
  ] satisfies [string, ExploreOptions, number][])(
    'with k = 2, every live node of three enters in spite of %s, if all request entry',
    (_what, fault, states) => {
      const found = outcomeOf(two, complete(3), fault);
      expect(found.states).toBe(states);
      expect(found.verdicts).toMatchObject({ [ofTwo]: 'holds', [entry]: 'holds' });
    },
  );

  proof('with k = 2, two crashes leave a node of three without its replies', () => {
    const found = outcomeOf(two, complete(3), { initiators: ['a', 'b'], crashes: 2 });
    expect(found.states).toBe(9_352);
    expect(found.verdicts).toMatchObject({ [ofTwo]: 'holds', [entry]: 'violated in 3' });
  });

  proof('with k = 2, a node that restarts with its clock at 0 is the third one inside', () => {
    const { verdicts } = outcomeOf(two, complete(3), { crashes: 1, restarts: 1 });
    expect(verdicts).toMatchObject({ [ofTwo]: 'violated in 11', [entry]: 'holds' });
  });

  it('a node that takes late replies for replies to its next request is the third one inside', () => {
    const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
    const { properties } = explore(withoutSteps(withMachine(two, withoutMemory)), complete(3), {
      commands: 2,
      order: 'fifo',
      all: false,
    });
    const wrong = properties.find(({ verdict }) => verdict === 'violated');
    expect([wrong?.name, wrong?.trace?.lines.length]).toEqual([ofTwo, 13]);
    expect(page).toContain(linesText(wrong?.trace?.lines ?? []));
  });
});
