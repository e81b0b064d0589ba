import { readFileSync } from 'node:fs';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { exclusion, outcomeOf } from '../../outcome.contract.js';
import { madeToken, oneMadeToken } from './made-token.contract.js';

describe('a token that is made on demand', () => {
  it('is one as long as one node asks at a time', () => {
    const { verdicts } = outcomeOf(madeToken, complete(3), { commands: 3, initiators: ['a'] });
    expect(verdicts).toMatchObject({ [exclusion]: 'holds', [oneMadeToken.name]: 'holds' });
  });

  it('is made twice where two nodes ask at once, after 6 steps: the page has the run', () => {
    const { verdicts, traces } = outcomeOf(madeToken, complete(2), {});
    expect(verdicts).toMatchObject({
      [exclusion]: 'violated in 6',
      [oneMadeToken.name]: 'violated in 6',
    });
    const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
    expect(page).toContain(traces[oneMadeToken.name] ?? 'no trace');
  });
});
