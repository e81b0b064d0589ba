import { atMost, type Protocol } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { centralLock } from '../../../core/src/protocol/examples.contract.js';
import { costOf } from './cost.contract.js';

describe('costOf', () => {
  const cost = (per: NonNullable<Protocol['cost']>['per']): NonNullable<Protocol['cost']> => ({
    per,
    formula: '3n',
    messages: (n) => ({ least: 3, most: 3 * n }),
  });

  it('is the upper bound of the protocol, per optional command', () => {
    expect(costOf({ ...centralLock, cost: cost('entry') }, 4)).toEqual(
      atMost(12, { per: 'acquire' }),
    );
    expect(costOf({ ...centralLock, cost: cost('election') }, 2)).toEqual(
      atMost(6, { per: 'acquire' }),
    );
  });

  it('is undefined without a declared cost, or without exactly one optional command', () => {
    expect(costOf(centralLock, 3)).toBeUndefined();
    expect(costOf({ ...centralLock, cost: cost('run') }, 3)).toBeUndefined();
    expect(
      costOf(
        {
          ...centralLock,
          cost: { ...cost('entry'), messages: () => ({ least: 1, most: Infinity }) },
        },
        3,
      ),
    ).toBeUndefined();
    const { acquire } = centralLock.commands;
    if (!acquire) throw new Error('the lock has no optional command');
    expect(
      costOf({ ...centralLock, cost: cost('entry'), commands: { acquire, borrow: acquire } }, 3),
    ).toBeUndefined();
    expect(costOf({ ...centralLock, cost: cost('entry'), commands: {} }, 3)).toBeUndefined();
    const several = { acquire, borrow: acquire };
    expect(
      costOf(
        { ...centralLock, cost: { ...cost('entry'), command: 'borrow' }, commands: several },
        3,
      ),
    ).toEqual(atMost(9, { per: 'borrow' }));
  });
});
