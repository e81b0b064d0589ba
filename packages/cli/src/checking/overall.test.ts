import type { Exploration } from '@conclave/check';
import { describe, expect, it } from 'vitest';
import type { Verdict } from '../output/text.js';
import { overall, overallCoverage } from './overall.js';

type Coverage = NonNullable<Exploration['coverage']>;

/**
 * A system with these verdicts on an `always` and a `sometimes` of one name; `complete` is false
 * for one that was cut.
 */
const system = (
  verdicts: readonly [Verdict, Verdict],
  complete = true,
  coverage: Coverage = [],
): Exploration => ({
  ...{
    protocol: 'p',
    topology: 't',
    states: 1,
    transitions: 0,
    depth: 0,
    width: 1,
    seconds: 0,
    complete,
    coverage,
    assumptions: [],
  },
  steps: { distinct: 0, confirmed: 0 },
  properties: [
    { name: 'it is so', kind: 'always', verdict: verdicts[0] },
    { name: 'it is so', kind: 'sometimes', verdict: verdicts[1] },
  ],
  diagnosis: { nodes: {}, fields: {}, messages: 0, contents: 0, growing: [] },
});
const verdicts = (...systems: readonly Exploration[]) =>
  overall(systems).map(({ verdict }) => verdict);

describe('several systems together', () => {
  it('violate what one violates, and reach what one reaches, even if it was cut', () => {
    expect(
      verdicts(system(['holds', 'reached']), system(['violated', 'unreached'], false)),
    ).toEqual(['violated', 'reached']);
    expect(
      verdicts(system(['holds', 'unreached']), system(['incomplete', 'reached'], false)),
    ).toEqual(['holds', 'reached']);
  });

  it('show that a property holds if it holds in each exhausted one, and nothing by those that were cut', () => {
    expect(
      verdicts(system(['holds', 'unreached']), system(['incomplete', 'incomplete'], false)),
    ).toEqual(['holds', 'unreached']);
    expect(verdicts(system(['holds', 'unreached']), system(['incomplete', 'incomplete']))).toEqual([
      'incomplete',
      'incomplete',
    ]);
    expect(verdicts(system(['incomplete', 'incomplete'], false))).toEqual([
      'incomplete',
      'incomplete',
    ]);
    expect(overall([])).toEqual([]);
  });

  it('have a remark on a property only if each of them has one', () => {
    const remarked = (remark: string): Exploration => {
      const { properties, ...rest } = system(['holds', 'reached']);
      return {
        ...rest,
        properties: properties.map((property, index) =>
          index === 0 ? { ...property, remark } : property,
        ),
      };
    };
    expect(overall([remarked('one'), remarked('two')])[0]).toMatchObject({
      verdict: 'holds',
      remark: 'two',
    });
    expect(overall([remarked('one'), system(['holds', 'reached'])])[0]).toEqual({
      name: 'it is so',
      kind: 'always',
      verdict: 'holds',
    });
    expect(overall([system(['vacuous', 'reached']), remarked('two')])[0]).toMatchObject({
      verdict: 'holds',
      remark: 'two',
    });
  });

  it('miss of a statechart what each misses', () => {
    const used = (
      missed: readonly string[],
      neverTrue: readonly string[],
      neverFalse: readonly string[],
    ): Coverage => [
      {
        role: 'r',
        transitions: 4,
        taken: 4 - missed.length,
        missed,
        guards: { asked: 2, neverTrue, neverFalse },
        unentered: missed,
        undelivered: [],
      },
    ];
    const of = (coverage: Coverage) => system(['holds', 'reached'], true, coverage);
    // The guard of a was never true, then true; that of b not evaluated, then never true; that of c
    // never false, then false.
    const [role] = overallCoverage([
      of(used(['a', 'b', 'd'], ['a'], ['c'])),
      of(used(['b', 'd'], ['b'], [])),
    ]);
    expect(role).toEqual({
      ...{
        role: 'r',
        transitions: 4,
        taken: 2,
        missed: ['b', 'd'],
        unentered: ['b', 'd'],
        undelivered: [],
      },
      guards: { asked: 2, neverTrue: ['b'], neverFalse: [] },
    });
  });
});
