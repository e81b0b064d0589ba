import { describe, expect, it } from 'vitest';
import { simulate, type Workload } from '../../simulation/index.js';
import { chain, complete } from '../../topology/generators.js';
import type { Conditions } from '../conditions.js';
import type { LinkCommand } from './link.js';
import { reliableLink } from './protocol.js';

/** Each end transmits `count` payloads, one every few ms. */
const transmitting =
  (count: number): Workload =>
  (application) => {
    for (const { id } of application.nodes) {
      for (let payload = 0; payload < count; payload++) {
        const command: LinkCommand = { type: 'transmit', payload: { number: payload } };
        application.later({ kind: 'fixed', ms: 7 * payload }, () => application.tell(id, command));
      }
    }
    return () => {};
  };

const wild: Partial<Conditions> = { delay: { kind: 'uniform', least: 5, most: 90 }, order: 'any', loss: 0.3, duplication: 0.2 };
const verdicts = (properties: readonly { readonly name: string; readonly verdict: string }[]) =>
  Object.fromEntries(properties.map(({ name, verdict }) => [name, verdict]));

describe('the reliable link as a protocol', () => {
  it('keeps its promises on wild channels, and comes to rest', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const result = simulate({ protocol: reliableLink(), topology: complete(2), conditions: wild, workload: transmitting(30), seed });
      expect(result.lost).toBeGreaterThan(0);
      expect(result.ended).toBe('at rest');
      expect(verdicts(result.properties)).toEqual({
        'what one end has delivered, the other has sent, and remembers the rest': 'holds',
        'what came before its turn is what was sent with its number': 'holds',
        'a payload is delivered': 'reached',
        'what is transmitted is acknowledged': 'holds',
      });
    }
  });

  it('keeps them when an end crashes and comes back', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const result = simulate({
        protocol: reliableLink({ window: 4 }),
        topology: complete(['a', 'b']),
        conditions: wild,
        workload: transmitting(30),
        faults: [
          { kind: 'crash', node: 'b', at: 120, restartAfter: 100 },
          { kind: 'crash', node: 'a', at: 400, restartAfter: 1 },
        ],
        seed,
      });
      expect(result.ended).toBe('at rest');
      expect(result.properties.filter(({ verdict }) => verdict === 'violated')).toEqual([]);
    }
  });

  it('costs one frame and its acknowledgement for each payload where nothing is lost, once the ends have met', () => {
    const result = simulate({ protocol: reliableLink(), topology: complete(2), workload: transmitting(30) });
    expect(result.messages).toEqual({ data: 62, ack: 62 });
  });

  it('joins two nodes, no more and no less', () => {
    const more = () => simulate({ protocol: reliableLink(), topology: chain(3) });
    expect(more).toThrow('Reliable link needs a two-node network');
    expect(more).toThrow('there are 3 nodes and 4 links');
  });
});
