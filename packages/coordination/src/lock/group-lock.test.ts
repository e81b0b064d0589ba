/** A lock over a group of members (A18), as an application uses it. */
import { groupLock } from '@conclave/algorithms/group-lock';
import { heartbeat } from '@conclave/algorithms/heartbeat';
import { memoryNetwork } from '@conclave/core/embedding';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { refusal } from '../election/elections.contract.js';
import { inVirtualTime, pass } from '../virtual-time.contract.js';
import { lock } from './lock.js';

const ids = ['a', 'b', 'c'];
const detector = heartbeat({ period: 40, timeout: 250 });

/** Three locks; a node that is `mute` sends nothing any more, like one that was killed. */
function threeLocks() {
  const network = memoryNetwork(ids);
  const mute = new Set<string>();
  const errors: string[] = [];
  const locks = ids.map((self) => {
    const transport = network.transport(self);
    const send: typeof transport.send = (to, message) => {
      if (!mute.has(self)) transport.send(to, message);
    };
    const onError = ({ code }: { readonly code: string }) => errors.push(`${self} ${code}`);
    return lock(groupLock(), {
      self,
      peers: ids,
      transport: { ...transport, send },
      detector,
      onError,
    });
  });
  const [a, b, c] = locks;
  if (!a || !b || !c) throw new Error('unreachable: three were made');
  return { a, b, c, mute, errors };
}

inVirtualTime();

describe('a lock over a group', () => {
  proof('goes on to the next node when its holder is silent, and tells the holder', async () => {
    const { a, b, c, mute, errors } = threeLocks();
    const first = await a.acquire();
    const waiting = b.acquire();
    await pass(100); // so that the detectors have heard of all
    mute.add('a');
    const second = await waiting;
    expect(second.fencingToken).toBeGreaterThan(first.fencingToken ?? Infinity);
    expect(second.fencingCondition).toBe('as long as all messages of a crashed node arrive');
    while (errors.length === 0) await pass(10);
    expect(errors).toEqual(['a lost']);
    expect(await refusal(a.acquire())).toMatchObject({
      code: 'lost',
      message:
        'Node a has lost the lock for good: another node takes it for crashed. Stop the work in the critical section.',
    });
    second.release();
    (await c.acquire()).release();
    for (const each of [a, b, c]) await each.close();
  });

  it('needs reports of crashes', () => {
    const transport = memoryNetwork(ids).transport('a');
    expect(() => lock(groupLock(), { self: 'a', peers: ids, transport })).toThrow(
      'Give the option detector',
    );
  });
});
