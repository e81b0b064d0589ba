import { readFileSync } from 'node:fs';
import { chain, topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { ignoringUnexpected } from '../../mutual-exclusion/ignoring-unexpected.contract.js';
import { handled, outcomeOf } from '../../mutual-exclusion/outcome.contract.js';
import { gallagerHumbletSpira } from './protocol.js';
import { weightedGraphs } from './weighted-graphs.contract.js';

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const one = 'at most one node is the leader';
const same = 'all nodes that know a leader know the same one';
const known = 'every live node knows the one leader';

describe('gallager-humblet-spira assumptions', () => {
  proof.each([
    ['a lost message', { losses: 1 }, known, 6, [one, same]],
    ['a duplicated message', { duplications: 1 }, handled, 7, [one]],
    ['a crash', { crashes: 1 }, known, 2, [one, same]],
    ['a restart', { crashes: 1, restarts: 1 }, handled, 5, [one]],
  ])(
    '%s has this shortest run on two nodes, and never makes two leaders on two or three',
    (_what, budget, broken, steps, kept) => {
      expect(outcomeOf(gallagerHumbletSpira, chain(2), budget).verdicts).toMatchObject({
        [broken]: `violated in ${steps}`,
      });
      for (const graph of [...weightedGraphs(2), ...weightedGraphs(3)])
        expect(
          outcomeOf(ignoringUnexpected(gallagerHumbletSpira), graph, budget).verdicts,
        ).toMatchObject(Object.fromEntries(kept.map((name) => [name, 'holds'])));
    },
  );

  it('the page shows the shortest run with a lost message', () => {
    expect(page).toContain(outcomeOf(gallagerHumbletSpira, chain(2), { losses: 1 }).traces[known]);
  });

  it('with a duplicated message two nodes may name different leaders, in 14 steps on three nodes', () => {
    const { verdicts, traces } = outcomeOf(gallagerHumbletSpira, chain(3), { duplications: 1 });
    expect(verdicts).toMatchObject({ [same]: 'violated in 14' });
    expect(page).toContain(traces[same]);
  });

  it('without FIFO there may be two leaders, in 8 steps on four nodes', () => {
    const { verdicts, traces } = outcomeOf(
      gallagerHumbletSpira,
      topology('edges:a-c:1,c-d:3,b-d:2'),
      { order: 'any' },
    );
    expect(verdicts).toMatchObject({ [one]: 'violated in 8' });
    expect(page).toContain(traces[one]);
  });

  it('without FIFO two nodes may wait forever, in 7 steps', () => {
    const { verdicts } = outcomeOf(ignoringUnexpected(gallagerHumbletSpira), chain(2), {
      order: 'any',
    });
    expect(verdicts).toMatchObject({ [known]: 'violated in 7', [one]: 'holds' });
  });
});
