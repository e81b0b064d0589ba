import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { calls } from '../protocol/examples.contract.js';
import type { Command } from '../protocol/node.js';
import { bare } from './ball.contract.js';
import { embed } from './embed.js';
import type { StableRecord, StableStorage } from './storage.js';
import type { Guarantees } from './transport.js';

const call: Command = { type: 'call' };
const lossy: Guarantees = { order: 'any', loss: true, duplication: true };

/** A node on a storage that stages, and what happens, in its order. */
function started({
  fails = false,
  guarantees = lossy,
}: {
  fails?: boolean;
  guarantees?: Guarantees;
} = {}) {
  const log: string[] = [];
  let staged: StableRecord | undefined;
  const written = (how: string, { fields }: StableRecord) =>
    log.push(`${how} ${JSON.stringify(fields)}`);
  const storage: StableStorage = {
    read: () => undefined,
    write: (record) => written('write', record),
    stage: (record) => {
      staged = record;
    },
    commit: () => {
      if (fails) throw new Error('EIO');
      if (staged) written('commit', staged);
      staged = undefined;
    },
  };
  const wire = new Subject<{ from: string; message: unknown }>();
  const node = embed(calls, {
    self: 'a',
    peers: ['b'],
    transport: bare(wire, {
      guarantees,
      send: (_to, { type }) => log.push(type),
    }),
    storage,
    onError: ({ code }) => log.push(`error ${code}`),
  });
  node.state$.subscribe({
    next: ({ value }) => log.push(`state ${String(value)}`),
    complete: () => log.push('closed'),
  });
  log.length = 0;
  return { node, log, ping: () => wire.next({ from: 'b', message: { type: 'ping', n: 7 } }) };
}
const turn = () => new Promise(setImmediate);

describe('the steps of one turn of the event loop', () => {
  it('share one write, and nothing of them leaves before it', async () => {
    const { node, log, ping } = started();
    node.send(call);
    ping();
    expect(log).toEqual([]);
    await turn();
    // its timer may have sent again
    const commits = log.filter((line) => line.startsWith('commit'));
    expect([log[0], commits.length, log.includes('ping')]).toEqual([commits[0], 1, true]);
    expect([commits[0], log.filter((line) => line === 'pong')]).toEqual([
      'commit {"calls":1}',
      ['pong'],
    ]);
    ping();
    expect(log.at(-1)).toBe('pong');
    await node.close();
  });

  it('are written when somebody looks at the state, settles the node, or closes it', async () => {
    const ways: ((node: ReturnType<typeof started>['node']) => unknown)[] = [
      (node) => node.state.value,
      (node) => node.settle(),
      (node) => void node.close(),
    ];
    for (const look of ways) {
      const { node, log } = started();
      node.send(call);
      look(node);
      expect(log.slice(0, 2)).toEqual(['commit {"calls":1}', 'ping']);
      expect(log).toContain('state calling');
      await node.close();
    }
  });

  it('are written when a timer is due: what it ends must be known at once', async () => {
    const { node, log, ping } = started();
    node.send(call);
    while ([...node.timers.values()].some((left) => left >= 0)); // its timer is late then
    expect(log).toEqual([]);
    ping();
    expect(log.slice(0, 3)).toEqual(['commit {"calls":1}', 'ping', 'ping']);
    await node.close();
  });

  it('have no effect where they cannot be written: the node stops', async () => {
    const { node, log } = started({ fails: true });
    node.send(call);
    await turn();
    expect(log).toEqual(['error closed', 'closed']);
    expect(node.state.value).toBe('idle');
  });

  it('are written one by one on a transport that loses nothing: what arrived is not sent again', async () => {
    const guarantees: Guarantees = { order: 'fifo', loss: false, duplication: false };
    const { node, log } = started({ guarantees });
    node.send(call);
    expect(log.slice(0, 2)).toEqual(['write {"calls":1}', 'ping']);
    await node.close();
  });
});
