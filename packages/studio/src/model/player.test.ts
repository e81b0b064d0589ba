import { describe, expect, it } from 'vitest';
import { Player } from './player.js';
import { Session } from './session.js';
import { systemOf } from './system.js';

const sessionOf = async (topology = 'complete:3') =>
  new Session(await systemOf({ protocol: 'A3', options: {}, topology, budget: {} }));
const steps = [0, 0, 0, 0];

describe('a player', () => {
  it('takes a step after each pause, and stops at the end', async () => {
    const session = await sessionOf();
    session.show(steps, { at: 0 });
    const player = new Player(session);
    player.advance(10_000);
    expect(session.now.value.depth).toBe(0);
    player.speed.value = 2;
    player.play('All done');
    player.advance(499);
    expect(session.now.value.depth).toBe(0);
    player.advance(1);
    expect(session.now.value.depth).toBe(1);
    player.advance(1000);
    expect([session.now.value.depth, player.playing.value, player.ended.value]).toEqual([
      3,
      true,
      undefined,
    ]);
    player.advance(1000);
    expect([session.now.value, player.playing.value, player.ended.value]).toEqual([
      session.tip.value,
      false,
      'All done',
    ]);
    player.play();
    expect(session.now.value.depth).toBe(0);
  });

  it('keeps the proportions of the times, within limits', async () => {
    const session = await sessionOf();
    session.show(steps, { at: 0, times: [10, 10, 30, 40] });
    const player = new Player(session);
    player.speed.value = 1;
    player.play();
    const shown = () => session.now.value.depth;
    const waits: number[] = [];
    for (let ms = 0, last = 0; player.playing.value && ms < 10_000; ms += 100) {
      player.advance(100);
      if (shown() !== last) waits.push(ms + 100 - waits.reduce((sum, wait) => sum + wait, 0));
      last = shown();
    }
    expect(waits).toEqual([1000, 200, 2000, 1000]);
  });

  it('stops where the user takes over, and goes on from there', async () => {
    const session = await sessionOf();
    session.show(steps, { at: 0 });
    const player = new Player(session);
    player.play();
    player.advance(500);
    session.take(1);
    const branch = session.now.value;
    player.advance(500);
    expect([session.now.value, player.playing.value]).toEqual([branch, false]);
    session.goTo(session.run.start);
    player.play();
    player.advance(500);
    expect(session.now.value.depth).toBe(1);
  });

  it('walks at random until nothing more can happen: same seed, same steps', async () => {
    const walked = async (seed: number) => {
      const session = await sessionOf();
      const player = new Player(session);
      player.walk(seed);
      for (let frame = 0; player.playing.value && frame < 100; frame++) player.advance(5000);
      expect([player.playing.value, player.ended.value]).toEqual([
        false,
        'Nothing more can happen',
      ]);
      return session.link().steps;
    };
    const one = await walked(1);
    expect(one.length).toBe(18); // 3 entries: a command, 4 messages and a release each
    expect(await walked(1)).toEqual(one);
    expect(await walked(2)).not.toEqual(one);
  });

  it('walks on from the moment that is shown, as a branch', async () => {
    const session = await sessionOf();
    session.show(steps, { at: 2 });
    const [before, at] = [session.tip.value, session.now.value];
    const player = new Player(session);
    player.walk(3);
    player.advance(500);
    expect(session.path.value).toContain(at);
    expect(session.now.value.depth).toBe(3);
    expect(session.run.path(before)).toHaveLength(5);
  });

  it('toggles between playing and pausing, where there is something to play', async () => {
    const session = await sessionOf();
    const player = new Player(session);
    player.toggle();
    expect(player.playing.value).toBe(false);
    session.show(steps);
    player.toggle();
    expect([player.playing.value, session.now.value]).toEqual([true, session.run.start]);
    player.advance(500);
    player.toggle();
    player.advance(5000);
    expect([player.playing.value, session.now.value.depth]).toEqual([false, 1]);
  });

  it('plays an infinite run round and round', async () => {
    const session = new Session(
      await systemOf({ protocol: 'A11', options: {}, topology: 'ring:2', budget: { commands: 0 } }),
    ); // the token goes around
    session.show([0, 0, 0, 0], { at: 0, loopsFrom: 2 });
    const player = new Player(session);
    player.play();
    const depths = Array.from({ length: 8 }, () => {
      player.advance(500);
      return session.now.value.depth;
    });
    expect(depths).toEqual([1, 2, 3, 4, 2, 3, 4, 2]);
  });

  it('moves as long as a step lasts, a message first', async () => {
    const session = await sessionOf();
    const player = new Player(session);
    player.speed.value = 2;
    session.take(0);
    expect([player.motion.value, player.arrival.value]).toEqual([400, 0]); // a command
    session.take(
      session.run.actions(session.now.value).findIndex(({ type }) => type === 'deliver'),
    );
    expect(player.arrival.value).toBeCloseTo(220);
    player.speed.value = 8;
    expect([player.motion.value, player.arrival.value]).toEqual([100, expect.closeTo(55)]);
    session.back();
    expect([player.arrival.value, player.drawnAt.value]).toEqual([0, undefined]);
  });

  it('in a run with times, draws messages under way to the next step while it plays', async () => {
    const session = await sessionOf();
    session.show(steps, { at: 0, times: [10, 10, 30, 40] });
    const player = new Player(session);
    expect(player.drawnAt.value).toBe(0);
    player.play();
    expect([player.drawnAt.value, player.motion.value]).toEqual([10, 500]);
    player.advance(500);
    player.advance(100);
    expect([session.now.value.depth, player.drawnAt.value, player.motion.value]).toEqual([
      2, 30, 1000,
    ]);
    player.pause();
    expect(player.drawnAt.value).toBe(10);
  });
});
