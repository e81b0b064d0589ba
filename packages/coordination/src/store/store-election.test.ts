import { describe, expect, it } from 'vitest';
import { election } from '../election/election.js';
import { later } from '../election/elections.contract.js';
import { once } from '../once/once.js';
import { memoryStore, type Store } from './store.js';

const rowOf = async (store: Store) => JSON.parse((await store.read('shop')) ?? '{}');

describe('an election by a row', () => {
  it('has one leader, whom the others know, and hands over when it is closed', async () => {
    const store = memoryStore();
    const [one, other] = ['a', 'b'].map((self) =>
      election({ store, name: 'shop', self, lease: 2_000, poll: 10 }),
    );
    if (!one || !other) throw new Error('unreachable: two were made');
    const first = await one.elect();
    const seen = await later(other, (leader) => leader?.id === first.id);
    expect(first.leadership?.fencingToken).toBe(first.term);
    expect(seen).toEqual({ id: one.id, term: first.term });
    const lost = first.leadership?.lost;
    await one.close();
    expect((await lost)?.reason).toBe('closed');
    const second = await later(other, (leader) => leader?.leadership !== undefined);
    expect(second?.term).toBeGreaterThan(first.term);
    expect(second?.id).toBe(other.id);
    await other.close();
  });

  it('knows a leader that has crashed for a lease, then none, and then leads', async () => {
    const store = memoryStore();
    const left = { version: 7, epoch: 6, holder: 'gone~1', round: 3, lease: 200 };
    await store.write('shop', JSON.stringify(left), undefined);
    await using mine = election({ store, name: 'shop', lease: 200, poll: 10 });
    const told: (string | undefined)[] = [];
    for await (const leader of mine) {
      told.push(leader?.leadership ? 'itself' : leader?.id);
      if (leader?.leadership) break;
    }
    expect(told.slice(-3)).toEqual(['gone~1', undefined, 'itself']);
    expect((await rowOf(store)).holder).toBe(mine.id);
  });

  it('leads no longer where its row is another one’s', async () => {
    const store = memoryStore();
    await using mine = election({ store, name: 'shop', lease: 200, poll: 10 });
    const { leadership } = await mine.elect();
    const text = await store.read('shop');
    const row = JSON.parse(text ?? '');
    const other = { ...row, version: row.version + 1, epoch: row.version + 1, holder: 'other' };
    await store.write('shop', JSON.stringify(other), text);
    expect((await leadership?.lost)?.reason).toBe('later-term');
    expect(leadership?.signal.aborted).toBe(true);
    expect((await later(mine, (leader) => leader !== undefined))?.id).toBe('other');
  });

  it('resigns, and is elected again in a later term', async () => {
    await using mine = election({ store: memoryStore(), name: 'shop', poll: 10 });
    const first = await mine.elect();
    mine.resign();
    expect((await first.leadership?.lost)?.reason).toBe('resigned');
    const second = await later(mine, (leader) => leader?.leadership !== undefined);
    expect(second?.term).toBeGreaterThan(first.term);
  });

  it('runs a job once at each tick', async () => {
    const store = memoryStore();
    const ticks: number[] = [];
    const all = ['a', 'b'].map((self) => election({ store, name: 'shop', self, poll: 10 }));
    const jobs = all.map((one) =>
      once(one, 'report', { every: '20ms' }, ({ tick }) => void ticks.push(Number(tick)), {
        store,
        catchUp: 'all',
      }),
    );
    while (ticks.length < 5) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const job of jobs) await job.stop();
    for (const one of all) await one.close();
    expect(ticks).toEqual([...new Set(ticks)].sort((a, b) => a - b));
  });

  it('takes no misspelt option', () => {
    const options = { store: memoryStore(), name: 'shop', leas: 200 };
    expect(() => election(options)).toThrow("election: there is no option 'leas'");
  });
});
