import {
  memoryNetwork,
  memoryStorage,
  type StableStorage,
  type Transport,
} from '@conclave/core/embedding';
import { ConclaveError } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { inVirtualTime, pass } from '../virtual-time.contract.js';
import { election } from './election.js';
import { later, refusal } from './elections.contract.js';
import type { Election, Leader } from './shared-election.js';

const ids = ['a', 'b', 'c'];

/** Three nodes that elect by leases; `isCut` says which nodes reach no other one. */
function three(lease = 500) {
  const network = memoryNetwork(ids);
  const disks = new Map<string, StableStorage>(ids.map((self) => [self, memoryStorage()]));
  const cut = new Set<string>();
  const start = (self: string): Election => {
    const made = network.transport(self);
    const send: Transport['send'] = (to, message) => {
      if (!cut.has(self) && !cut.has(to)) made.send(to, message);
    };
    const storage = disks.get(self);
    if (!storage) throw new Error('unreachable: each has one');
    const transport = { ...made, send, guarantees: { ...made.guarantees, restarts: true } };
    return election({ by: 'lease', self, peers: ids, transport, storage, lease });
  };
  return { cut, start };
}

const leads = (known: Leader | undefined): boolean => known?.leadership !== undefined;

/** The one of these that leads first from now on. */
const first = async (some: readonly Election[]): Promise<Election> =>
  Promise.race(some.map((one) => later(one, leads).then(() => one)));

inVirtualTime();

describe('an election by leases', () => {
  it('has a leader from the start, whom the others know, with a fencing token that is its term', async () => {
    const { start } = three();
    const all = ids.map(start);
    const leader = await first(all);
    for (const one of all)
      expect(await later(one, (known) => known?.id === leader.id)).toMatchObject({ id: leader.id });
    const { term, leadership } = leader.leader ?? {};
    expect([leadership?.fencingToken, leadership?.term, leader.term]).toEqual([term, term, term]);
    expect(await leader.elect()).toMatchObject({ id: leader.id, term });
    await pass(600); // longer than a lease
    expect(leader.leader).toMatchObject({
      id: leader.id,
      term,
      leadership: { signal: { aborted: false } },
    });
    for (const one of all) await one.close();
  });

  it('has a leader with a larger token after each crash, resignation and loss of contact', async () => {
    const { start, cut } = three();
    let all = ids.map(start);
    const tokens: (number | undefined)[] = [];
    const reasons: (string | undefined)[] = [];
    const next = async (some: readonly Election[], end: (one: Election) => unknown) => {
      const leader = await first(some);
      const leadership = leader.leader?.leadership;
      tokens.push(leadership?.fencingToken);
      end(leader);
      reasons.push((await leadership?.lost)?.reason);
      return leader;
    };
    await next(all, (one) => one.resign());
    const isolated = await next(all, ({ id }) => cut.add(id));
    cut.clear();
    const gone = await next(
      all.filter((one) => one !== isolated),
      (one) => one.close(),
    );
    all = [...all.filter((one) => one !== gone), start(gone.id)];
    await next(all, () => all.map((one) => one.resign()));
    expect(reasons).toEqual(['resigned', 'lease-expired', 'closed', 'resigned']);
    expect(tokens).toEqual(tokens.toSorted((x, y) => Number(x) - Number(y)));
    expect(new Set(tokens).size).toBe(4);
    for (const one of all) await one.close();
  });

  it('after a loss of contact all know the leader, also a node whose vote has gone to another one', async () => {
    for (const isolated of ids) {
      const { start, cut } = three();
      const all = ids.map(start);
      await first(all);
      await pass(1000);
      cut.add(isolated);
      await pass(3000);
      cut.clear();
      await pass(1000); // two leases
      const leader = all.find(({ leader: known }) => leads(known));
      expect(all.map(({ leader: known }) => known?.id)).toEqual(ids.map(() => leader?.id));
      expect(new Set(all.map(({ term }) => term)).size).toBe(1);
      for (const one of all) await one.close();
    }
  });

  it('is known no longer when it has said nothing for a lease', async () => {
    const { start, cut } = three();
    const all = ids.map(start);
    const leader = await first(all);
    const other = all.find((one) => one !== leader);
    await later(other ?? leader, (known) => known?.id === leader.id);
    for (const id of ids) cut.add(id);
    await pass(600);
    expect(all.map(({ leader: known }) => known)).toEqual([undefined, undefined, undefined]);
    for (const one of all) await one.close();
  });

  it('has none without a majority, and says so', async () => {
    const { start } = three();
    const a = start('a');
    expect(await refusal(a.elect({ waitFor: 50 }))).toMatchObject({
      code: 'timed-out',
      message:
        'Node a knows no leader after 50 ms: it is not admitted yet, and waits for b, c. Wait longer, or check that they are up: b, c.',
    });
    expect([a.leader, a.term]).toEqual([undefined, 0]);
    a.resign(); // it does not lead
    const wait = refusal(a.elect());
    await a.close();
    expect((await wait).code).toBe('closed');
    expect((await refusal(a.elect())).code).toBe('closed');
    expect(a.stable).toMatchObject({ ballot: expect.any(Number) });
  });

  it('refuses what it cannot do', () => {
    const transport = memoryNetwork(ids).transport('a');
    const restarting = { ...transport, guarantees: { ...transport.guarantees, restarts: true } };
    const options = { by: 'lease', self: 'a', peers: ids, transport } as const;
    const loose = election as (options: object) => Election;
    expect(() => election({ ...options, peers: ['b'] })).toThrow(
      /^An election by leases of 2 nodes tolerates no crash/,
    );
    expect(() => election({ ...options, transport: restarting })).toThrow(
      'may come back as a new process',
    );
    expect(() => election({ ...options, lease: 1, renewal: 1 })).toThrow(ConclaveError);
    expect(() => loose({ ...options, by: 'lot' })).toThrow("election: by is 'lot'");
    expect(() => loose({ ...options, detector: {} })).toThrow(
      "election: there is no option 'detector'",
    );
  });
});
