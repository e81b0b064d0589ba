import { replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { linkText, parseLink, type Setup } from '../link/link.js';
import { Session } from './session.js';
import { systemOf } from './system.js';

const setups: readonly Setup[] = [
  { protocol: 'A3', options: {}, budget: {} },
  {
    protocol: 'raymond',
    options: { greedy: 1 },
    topology: 'tree:2:3',
    budget: { losses: 1, duplications: 1, order: 'any' },
  },
  { protocol: 'B15', options: {}, topology: 'ring:3', budget: {} }, // draws ids at its start
  { protocol: 'C3', options: {}, budget: { crashes: 1, time: 'untimed' } },
  {
    protocol: 'A3',
    options: {},
    topology: 'complete:3',
    budget: { commands: 2, crashes: 1, restarts: 1, partitions: 1 },
  },
];

/** Takes `count` actions; which ones is fixed by `seed`. */
function wander(session: Session, seed: number, count: number): void {
  let state = seed;
  for (let step = 0; step < count; step++) {
    const { length } = session.run.actions(session.now.value);
    if (length === 0) return;
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    session.take(state % length);
  }
}

describe.each(setups)('a session of $protocol with $budget', (setup) => {
  it('is the same again through its link', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const session = new Session(await systemOf(setup));
      wander(session, seed, 25);
      session.back();
      const text = linkText(session.link());
      const link = parseLink(text);
      if (!link) throw new Error('no link');
      const again = await Session.open(link);
      expect(again.now.value.world).toEqual(session.now.value.world);
      expect(again.run.trace(again.tip.value)).toEqual(session.run.trace(session.tip.value));
      expect(linkText(again.link())).toBe(text);
    }
  });

  it('has a trace that replays', async () => {
    const session = new Session(await systemOf(setup));
    wander(session, 7, 30);
    while (session.now.value.world.choosing.length > 0) session.take(0);
    const trace = session.run.trace(session.now.value);
    expect(trace.lines.length).toBeGreaterThan(5);
    expect(replay(session.system.protocol, session.system.topology, trace)).toEqual({
      steps: trace.lines.length,
    });
  });

  it('keeps its run where the budget grows', async () => {
    const session = new Session(await systemOf(setup));
    wander(session, 3, 20);
    session.back();
    const { losses = 0 } = setup.budget;
    const wider = await session.withBudget({ losses: losses + 1 });
    expect(wider.run.trace(wider.tip.value)).toEqual(session.run.trace(session.tip.value));
    expect(wider.now.value.depth).toBe(session.now.value.depth);
    expect(wider.now.value.world.remaining.losses).toBe(
      session.now.value.world.remaining.losses + 1,
    );
  });
});

describe('a session', () => {
  const open = async () =>
    new Session(
      await systemOf({ protocol: 'A3', options: {}, topology: 'complete:3', budget: {} }),
    );

  it('remembers what was tried, each thing once', async () => {
    const session = await open();
    session.take(0);
    const first = session.now.value;
    session.back();
    session.take(1);
    expect(session.now.value).not.toBe(first);
    session.back();
    session.take(0);
    expect(session.now.value).toBe(first);
    expect(session.run.start.branches.length).toBe(2);
    expect(session.run.size).toBe(3);
  });

  it('goes back and forward on its branch', async () => {
    const session = await open();
    wander(session, 1, 5);
    const end = session.now.value;
    for (let step = 0; step < 7; step++) session.back();
    expect(session.now.value).toBe(session.run.start);
    for (let step = 0; step < 7; step++) session.forward();
    expect(session.now.value).toBe(end);
  });

  it('goes around a loop', async () => {
    const session = new Session(
      await systemOf({ protocol: 'A11', options: {}, topology: 'ring:2', budget: { commands: 0 } }),
    ); // the token goes around
    session.show([0, 0, 0, 0], { loopsFrom: 2, at: 4 });
    session.forward();
    expect(session.now.value.depth).toBe(2);
  });

  it('refuses a number that no action has', async () => {
    const session = await open();
    expect(() => session.show([0, 99])).toThrow('Step 2 is action 100, and only');
    expect(session.now.value.depth).toBe(1); // what fits is shown
  });

  it('ends where a machine does not handle a message', async () => {
    const session = new Session(
      await systemOf({
        protocol: 'A3',
        options: {},
        topology: 'complete:2',
        budget: { duplications: 1, losses: 1, order: 'any' },
      }),
    );
    // Walks that duplicate a reply end in a fault: a reply that no state expects.
    let faults = 0;
    for (let seed = 1; seed <= 200 && faults === 0; seed++) {
      session.goTo(session.run.start);
      wander(session, seed, 20);
      const { step } = session.now.value;
      if (!step?.fault) continue;
      faults++;
      expect(step.fault.message).toContain('does not handle');
      expect(session.run.actions(session.now.value)).toEqual([]);
    }
    expect(faults).toBe(1);
  });
});

it.each([
  [
    'raymond?topology=tree:2:2&losses=1&steps=1.2&loop=0',
    'The run does not repeat from step 1 on: its last world is another one',
  ],
  [
    'raymond?topology=tree:2:2&losses=1&steps=1&loop=1',
    'The run does not end after step 1: a message, a timer or a choice is left',
  ],
  [
    'raymond?topology=tree:2:2&losses=1&steps=1.99',
    'Step 2 is action 100, and only 3 are possible',
  ],
  ['raymond?topology=tree:2:2&node=z', "There is no node 'z' in 'tree:2:2'"],
])('a link with a run that its system does not have %s is refused', async (text, what) => {
  const link = parseLink(text);
  if (!link) throw new Error('no link');
  await expect(Session.open(link)).rejects.toThrow(what);
});
