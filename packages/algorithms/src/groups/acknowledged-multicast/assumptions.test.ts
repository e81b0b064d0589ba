/**
 * Each assumption is necessary: without it a property breaks, by the shortest trace on the page.
 */
import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { alwaysEventually, type Property, type Protocol } from '@conclave/core/protocol';
import { simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { propertyNamed } from '../../contract/findings.contract.js';
import { deliveries, uniformAgreement } from '../multicast.contract.js';
import {
  agreement,
  causalOrder,
  fifoOrder,
  integrity,
  totalOrder,
  validity,
} from '../multicast.js';
import { acknowledgedMulticast } from './protocol.js';

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const a = { initiators: ['a'] } as const;

const problem = [integrity, fifoOrder, validity, agreement];

function violated(
  protocol: Protocol,
  n: number,
  options: ExploreOptions,
  properties: readonly Property[] = problem,
) {
  const found = explore(protocol, complete(n), { ...options, properties });
  expect(found.complete).toBe(true);
  return found.properties.flatMap(({ name, verdict, trace }) =>
    verdict === 'violated' && trace ? [{ name, trace }] : [],
  );
}

/** The trace of the violation of one property, without timers, as on the page. */
function shortest(property: Property, ...given: Parameters<typeof violated>): string {
  const [protocol, n] = given;
  const { trace } = propertyNamed(violated(...given), property.name);
  expect(replay(protocol, complete(n), trace)).toEqual({ steps: trace.lines.length });
  return linesText(trace.lines)
    .replaceAll(/(, )?(start|cancel) \w \d+( \d+ms)?/g, '')
    .replaceAll(/ (settled|awaiting)( → (settled|awaiting))?/g, '')
    .replaceAll(/000ms/g, '')
    .replaceAll(/ *⇒ *$/gm, '')
    .replaceAll(/⇒ , /g, '⇒ ')
    .replaceAll(/ {2,}/g, '  ')
    .replaceAll(/\. {2}/g, '  ')
    .replaceAll(/^ +/gm, '')
    .replaceAll(/ +$/gm, '')
    .trimEnd();
}

const steps = (trace: string) => trace.split('\n').length;

describe('acknowledged-multicast assumptions', () => {
  proof('more losses of one message than retransmissions: a live member lacks it', () => {
    for (const retransmissions of [0, 1, 2]) {
      const protocol = acknowledgedMulticast({ retransmissions });
      expect(violated(protocol, 2, { ...a, losses: retransmissions })).toEqual([]);
      expect(
        violated(protocol, 2, { ...a, losses: retransmissions + 1 }).map(({ name }) => name),
      ).toEqual([validity.name, agreement.name]);
    }
    expect(page).toContain(
      shortest(validity, acknowledgedMulticast({ retransmissions: 1 }), 2, { ...a, losses: 2 }),
    );
  });

  it('no relays: agreement does not survive a sender that crashes in the middle of sending', () => {
    const never = acknowledgedMulticast({ relay: 'never' });
    expect(violated(never, 3, { ...a, losses: 2 })).toEqual([]);
    expect(violated(never, 3, { ...a, crashes: 1, atomicSteps: true })).toEqual([]);
    const trace = shortest(agreement, never, 3, { ...a, crashes: 1 });
    expect(steps(trace)).toBe(5);
    expect(page).toContain(trace);
  });

  it('agreement is not uniform: what only a crashed member delivered, the others need not deliver', () => {
    for (const relay of ['first', 'silence'] as const) {
      const trace = shortest(
        uniformAgreement,
        acknowledgedMulticast({ relay }),
        2,
        { ...a, losses: 1, crashes: 1 },
        [uniformAgreement],
      );
      expect(steps(trace)).toBe(3);
      expect(page).toContain(trace);
    }
  });

  proof('order: FIFO per sender, neither causal nor total', () => {
    const unordered = (property: Property, n: number) =>
      shortest(
        property,
        acknowledgedMulticast({ retransmissions: 0 }),
        n,
        { initiators: ['a', 'b'], time: { kind: 'exact', delay: [0, 100], tick: 100 } },
        [property],
      );
    expect(page).toContain(unordered(totalOrder, 2));
    expect(page).toContain(unordered(causalOrder, 3));
  });

  it('a partition that lasts longer than the retransmissions', () => {
    const names = violated(acknowledgedMulticast({ retransmissions: 1 }), 2, {
      ...a,
      partitions: 1,
    }).map(({ name }) => name);
    expect(names).toEqual([validity.name, agreement.name]);
  });

  proof('a message behind one that was lost with its sender is held back forever', () => {
    const heldBack = alwaysEventually('each live member delivers all that comes', (system) =>
      system.nodes.every(
        ({ crashed, context }) =>
          crashed || [context.kept].flat().every((one) => Object(one).missing.length > 0),
      ),
    );
    const protocol = acknowledgedMulticast({ retransmissions: 1 });
    const trace = shortest(heldBack, protocol, 2, { ...a, commands: 2, losses: 1, crashes: 1 }, [
      heldBack,
    ]);
    expect(violated(protocol, 2, { ...a, commands: 2, losses: 1, crashes: 1 })).toEqual([]);
    expect(violated(protocol, 2, { ...a, commands: 2, losses: 1 }, [heldBack])).toEqual([]);
    expect(page).toContain(trace);
  });
});

describe('acknowledged-multicast: restarts', () => {
  const budget = { ...a, commands: 2, crashes: 1, restarts: 1 } as const;
  const protocol = acknowledgedMulticast({ retransmissions: 1 });
  const { member } = protocol.roles;
  if (!member) throw new Error('its one role');
  const forgetful: Protocol = { ...protocol, roles: { member: { ...member, stable: [] } } };

  proof('with stable storage nothing is delivered twice or out of order', () => {
    expect(violated(protocol, 2, budget).map(({ name }) => name)).toEqual([
      validity.name,
      agreement.name,
    ]);
    expect(page).toContain(shortest(validity, protocol, 2, { ...a, crashes: 1, restarts: 1 }));
  });

  it('without it a number is given twice', () => {
    const trace = shortest(integrity, forgetful, 2, budget);
    expect(steps(trace)).toBe(4);
    expect(page).toContain(trace);
  });

  proof(
    'a member that comes back before the others give up has missed nothing; without stable storage it has',
    () => {
      const run = (protocol: Protocol, seed: number) =>
        deliveries(
          simulate({
            protocol,
            topology: complete(3),
            seed,
            record: true,
            conditions: {
              order: 'any',
              delay: { kind: 'uniform', least: 0, most: 100 },
              loss: 0.1,
            },
            faults: [{ kind: 'crash', node: 'c', at: 20 * seed, restartAfter: 400 }],
            workload: ({ later, tell }) => {
              for (const id of ['a', 'b'])
                for (const at of [0, 200, 400])
                  later({ kind: 'fixed', ms: at }, () =>
                    tell(id, { type: 'multicast', data: `${id}${at}` } as { type: string }),
                  );
              return () => {};
            },
          }),
        );
      let missed = 0;
      for (let seed = 1; seed <= 15; seed++) {
        const delivered = run(acknowledgedMulticast(), seed);
        expect(delivered.get('c')?.toSorted()).toEqual(delivered.get('a')?.toSorted());
        expect(delivered.get('c')).toHaveLength(6);
        if (run(forgetful, seed).get('c')?.length !== 6) missed++;
      }
      expect(missed).toBeGreaterThan(7);
    },
  );
});

proof(
  'acknowledged-multicast: a time-out that is too short costs messages, and breaks nothing',
  () => {
    const hasty = acknowledgedMulticast({ timeout: 100, retransmissions: 2 });
    expect(violated(hasty, 3, { ...a, losses: 1 })).toEqual([]);
    const cheap: Property = {
      kind: 'atMost',
      name: 'no more messages than the formula says',
      most: 6,
      per: 'multicast',
    };
    expect(violated(hasty, 3, a, [cheap])).toHaveLength(1);
    expect(violated(acknowledgedMulticast(), 3, a, [cheap])).toEqual([]);
    expect(
      violated(
        acknowledgedMulticast(),
        3,
        { ...a, time: { kind: 'exact', delay: [0, 100], tick: 100 } },
        [cheap],
      ),
    ).toEqual([]);
  },
);
