import { explore } from '@conclave/check';
import { atMost } from '@conclave/core/protocol';
import { ring } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { costOf } from '../../contract/cost.contract.js';
import { propertyNamed } from '../../contract/findings.js';
import { lelannChangRoberts } from './protocol.js';

const rings = [2, 3, 4]
  .flatMap((n) => [ring(n).nodes, ring(n).nodes.toReversed()])
  .map((nodes) => ({ order: nodes.join('→'), nodes }));

describe.each(rings)(
  'the cost of lelann-chang-roberts on the ring $order, for all initiators',
  ({ nodes }) => {
    const topology = ring(nodes);
    const n = nodes.length;
    const bounds = [
      atMost(3 * n - 1, { per: 'elect' }),
      atMost(2 * n - 1, { per: 'elect', of: ['election'] }),
      atMost(n, { per: 'elect', of: ['elected'] }),
    ];
    const lower = [
      atMost(3 * n - 2, { per: 'elect' }),
      atMost(2 * n - 2, { per: 'elect', of: ['election'] }),
      atMost(n - 1, { per: 'elect', of: ['elected'] }),
    ];
    const found = explore(lelannChangRoberts, topology, { properties: [...bounds, ...lower] });

    it('n−1 messages per command wake the largest, n elect it and n announce it', () => {
      expect(found.complete).toBe(true);
      for (const { name } of bounds)
        expect(propertyNamed(found.properties, name).verdict).toBe('holds');
    });

    it('and no fewer: a single initiator may be as far from the largest as possible', () => {
      for (const { name } of lower) {
        const { verdict, trace } = propertyNamed(found.properties, name);
        expect(verdict).toBe('violated');
        expect(trace?.lines.filter(({ event }) => event.kind === 'command')).toHaveLength(1);
        expect(trace && replay(lelannChangRoberts, topology, trace)).toEqual({
          steps: trace?.lines.length,
        });
      }
    });

    proof('the bound of the literature for all commands together covers each of them', () => {
      const property = costOf(lelannChangRoberts, n);
      expect(property?.most).toBe((n * (n + 1)) / 2 + n);
      expect(
        explore(lelannChangRoberts, topology, { properties: property ? [property] : [] })
          .properties[0]?.verdict,
      ).toBe('holds');
    });
  },
);
