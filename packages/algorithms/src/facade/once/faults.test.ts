/** Random faults in virtual time: crashes, pauses, nodes that are cut off, clocks that are wrong. */
import { assertRuns } from '@conclave/tools/sample';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inVirtualTime, pass } from '../virtual-time.contract.js';
import { range, shared } from './once.contract.js';
import { memoryTicks } from './tick-store.js';

inVirtualTime();
const ids = ['a', 'b', 'c', 'd', 'e'];

const fault = fc.record({
  what: fc.constantFrom('pause', 'resume', 'cut', 'heal', 'stop', 'crash'),
  who: fc.constantFrom('leader', ...ids),
  wait: fc.integer({ min: 50, max: 4000 }),
});
const setting = fc.record({
  offsets: fc.dictionary(fc.constantFrom(...ids), fc.integer({ min: -3000, max: 3000 })),
  faults: fc.array(fault, { minLength: 2, maxLength: 8 }),
  job: fc.integer({ min: 0, max: 1500 }),
});

it('no tick starts twice, none is lost but those that are told, and the job goes on', async () => {
  const property = fc.asyncProperty(setting, async ({ offsets, faults, job }) => {
    const { nodes, ticks, events, leaders, closeAll } = shared({
      ids,
      offsets,
      options: { store: memoryTicks(), catchUp: 'all', skew: 10_000 },
      job: (_, sleep) => sleep(job),
    });
    let gone = 0; // a majority of the nodes must be up, and run the job
    await pass(3000);
    for (const { what, who, wait } of faults) {
      const node = who === 'leader' ? leaders()[0] : nodes.find(({ id }) => id === who);
      if (what === 'pause') node?.process.pause();
      if (what === 'cut' && node) node.process.isCut = true;
      if (what === 'resume' && node?.isUp) await node.process.resume();
      if (what === 'heal' && node?.isUp) node.process.isCut = false;
      if (what === 'crash' && node?.isUp && gone++ < 2) node.crash();
      if (what === 'stop' && node?.isUp && gone++ < 2) void node.once.stop();
      await pass(wait);
    }
    for (const { isUp, process } of nodes) {
      process.isCut &&= !isUp;
      if (isUp) await process.resume();
    }
    const before = ticks().length;
    await pass(10_000);
    const started = ticks();
    expect(started.length).toBeGreaterThan(before);
    expect(started).toEqual([...new Set(started)].toSorted((one, other) => one - other));
    const told = events.flatMap((event) =>
      event.type === 'interrupted' ? [event.tick.getTime()] : [],
    );
    const due = range(started[0] ?? 0, started.at(-1) ?? 0);
    expect(due.filter((tick) => !started.includes(tick) && !told.includes(tick))).toEqual([]);
    await closeAll();
  });
  await assertRuns(property, 1, 60);
});
