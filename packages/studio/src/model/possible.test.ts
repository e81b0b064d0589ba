import { canonical } from '@conclave/check/internal';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { impossible } from './impossible.js';
import { type Impossible, possible, separates } from './possible.js';
import { type Run, Session } from './session.js';
import { type StudioBudget, systemOf } from './system.js';

const systems: readonly (readonly [protocol: string, topology: string, budget: StudioBudget])[] = [
  ['A1', 'star:3', { losses: 1, crashes: 1 }],
  ['A2', 'complete:3', { duplications: 1, initiators: ['a', 'b'] }],
  ['A3', 'complete:4', { losses: 1, duplications: 1, crashes: 1, restarts: 1, partitions: 1 }],
  ['A7', 'tree:2:4', { commands: 0, partitions: 1 }],
  ['A11', 'ring:12', { losses: 1, crashes: 1, restarts: 1 }],
  ['A14', 'ring:3', { losses: 1, crashes: 1, restarts: 1 }],
  ['A15', 'complete:3', { duplications: 1, initiators: ['b'] }],
  ['A18', 'complete:3', { crashes: 1, commands: 2 }],
  ['A19', 'complete:3', { losses: 1, partitions: 1, crashes: 1, restarts: 1 }],
  ['B1', 'complete:3', { crashes: 1, restarts: 1 }],
  ['B4', 'ring:4', { losses: 1, duplications: 1, partitions: 1 }],
  ['B15', 'ring:3', { duplications: 1 }],
  ['B17', 'complete:3', { crashes: 1, unsent: true }],
  ['C1', 'complete:3', { losses: 1, duplications: 1, order: 'fifo' }],
  ['C4', 'complete:3', { losses: 1, duplications: 1, restarts: 1, crashes: 1 }],
  ['C5', 'complete:3', { crashes: 1 }],
];

/**
 * The reasons that no budget removes, each with what it says; `$1` is the first word that it names.
 */
const truths: readonly (readonly [RegExp, (seen: Seen, name: string) => boolean])[] = [
  [/^(\S+) must answer its choice first\.$/, ({ world }, name) => world.choosing[0]?.node === name],
  [
    /^Nothing more happens: the last step failed\.$/,
    ({ session }) => session.now.value.step?.fault !== undefined,
  ],
  [
    / is ahead of it(, and \d+ more)?\.$/,
    ({ worlds, refused: { target } }) =>
      worlds.order === 'fifo' && target.kind === 'message' && (target.positions[0] ?? 0) > 0,
  ],
  [
    /^(\S+) has crashed(: its timers are not armed)?\.$/,
    ({ world, refused: { target } }, name) =>
      world.crashed.includes(name) &&
      (target.kind === 'message' ? target.to : target.kind === 'node' && target.node) === name,
  ],
  [/^(\S+) has not crashed\.$/, ({ world }, name) => !world.crashed.includes(name)],
  [
    /^The network is split between \S+ and \S+\.$/,
    ({ world, refused: { target } }) =>
      target.kind === 'message' && separates(world.cut, target.from, target.to),
  ],
  [/^The network is split already/, ({ world }) => world.cut.length > 0],
  [/^The network is not split\.$/, ({ world }) => world.cut.length === 0],
  [
    /^12 nodes can be split in 2,047 ways/,
    ({ session }) => session.system.topology.nodes.length === 12,
  ],
  [
    /relies on a network that reports each crash/,
    ({ session }) => session.system.protocol.crashNotice !== undefined,
  ],
  [
    /^It (arrives|fires) in [\d.]+ ms at the earliest\.$/,
    ({ worlds }) => worlds.clockwork !== undefined,
  ],
  [
    / must arrive first\.$| must fire first\.$| must leave .* first\.$/,
    ({ world, worlds, refused }) =>
      refused.kind === 'tick' && !worlds.actions(world).some(({ type }) => type === 'tick'),
  ],
  [/^No clock runs/, ({ world, worlds }) => worlds.isTimeless(world)],
  [
    /^The condition of (\S+) is not true: (?:\S+) is in '.*'\.$/,
    ({ session, refused: { target } }, type) => {
      const { protocol } = session.system;
      return (
        target.kind === 'node' &&
        protocol.commands[type]?.when?.(
          session.system.worlds.view(session.now.value.world).node(target.node),
        ) === false
      );
    },
  ],
  [
    /^(\S+) got \S+ already/,
    ({ world }, name) => (world.remaining.fulfilled[name] ?? []).length > 0,
  ],
  [
    /^Only '\S+' arms it; \S+ is in '.*'\.$|is not armed any more|^It is not armed\.$/,
    ({ world, refused: { action } }) =>
      action.type === 'timeout' &&
      !world.nodes[action.node]?.timers.some(({ id }) => id === action.timer),
  ],
];

interface Seen {
  readonly session: Session;
  readonly world: Run['start']['world'];
  readonly worlds: Run['system']['worlds'];
  readonly refused: Impossible;
}

describe.each(systems)('%s on %s', (protocol, topology, budget) => {
  proof('tells what can happen, and why the rest cannot', async () => {
    const larger: StudioBudget = { ...budget, commands: 9, restarts: 9, crashes: 9 };
    const start = new Session(await systemOf({ protocol, options: {}, topology, budget }));
    let allowed = 0;
    for (let seed = 1; seed <= 2; seed++) {
      const draw = drawing(seed);
      start.goTo(start.run.start);
      for (let step = 0; step < 16; step++) {
        const { run, now } = start;
        const { world } = now.value;
        const can = possible(run, now.value);
        const actions = now.value.step?.fault ? [] : run.system.worlds.actions(world);
        expect(can.map(({ number, action }) => [number, action])).toEqual(
          actions.map((action, index) => [index, action]),
        );
        expect(new Set(can.map(({ text, target }) => JSON.stringify([text, target]))).size).toBe(
          can.length,
        );
        const cannot = impossible(run, now.value);
        const names = cannot.map(
          ({ kind, text, target }) => `${kind} ${text} ${JSON.stringify(target)}`,
        );
        expect(new Set(names).size).toBe(names.length);
        for (const refused of cannot) {
          if (refused.allow) continue;
          const truth = truths.find(([reason]) => reason.test(refused.why));
          const name = truth?.[0].exec(refused.why)?.[1] ?? '';
          const seen = { session: start, world, worlds: run.system.worlds, refused };
          expect(truth?.[1](seen, name), `${refused.text}: ${refused.why}`).toBe(true);
        }
        const curable = cannot.filter(({ allow }) => allow);
        const one = curable[draw(Math.max(1, curable.length))];
        if (one?.allow && step % 4 === 0) {
          allowed++;
          expect(
            offers(await start.withBudget(one.allow.budget), one),
            `${one.text} after ${JSON.stringify(one.allow.budget)}`,
          ).toBe(true);
        }
        if (can.length === 0) break;
        start.take(draw(can.length));
      }
      const rich = await start.withBudget(larger);
      expect(rich.now.value.depth).toBe(start.now.value.depth);
      for (const refused of impossible(start.run, start.now.value))
        if (!refused.allow) expect(offers(rich, refused), refused.why).toBe(false);
    }
    expect(allowed).toBeGreaterThan(0);
  });
});

const sessionOf = async (
  protocol: string,
  topology: string,
  budget: StudioBudget,
  ...texts: readonly string[]
): Promise<Session> => {
  const session = new Session(await systemOf({ protocol, options: {}, topology, budget }));
  for (const text of texts) {
    const found = possible(session.run, session.now.value).find((can) => can.text === text);
    expect(found, text).toBeDefined();
    session.take(found?.number ?? 0);
  }
  return session;
};

const refusal = ({ run, now }: Session, kind: string, text: string) =>
  impossible(run, now.value).find((refused) => refused.kind === kind && refused.text === text);

it('a FIFO channel delivers its head', async () => {
  const session = await sessionOf(
    'A2',
    'complete:2',
    {},
    'a acquires',
    'deliver request(1) from a to b',
    'b acquires',
  );
  expect(refusal(session, 'deliver', 'deliver request(3) from b to a')?.why).toBe(
    'ack(2) is ahead of it.',
  );
});

it('equal messages are one action about all of them', async () => {
  const session = await sessionOf(
    'A1',
    'star:2',
    { duplications: 1 },
    'b acquires',
    'duplicate request from b to a',
  );
  const deliveries = possible(session.run, session.now.value).filter(
    ({ kind }) => kind === 'deliver',
  );
  expect(deliveries.map(({ target }) => target)).toEqual([
    { kind: 'message', from: 'b', to: 'a', positions: [0, 1] },
  ]);
});

it('what the budget forbids says what allows it, and what the protocol assumes against it', async () => {
  const session = await sessionOf('A7', 'tree:2:3', {}, 'b acquires');
  expect(refusal(session, 'drop', 'lose request from b to a')).toMatchObject({
    why: 'The budget allows no losses.',
    allow: {
      budget: { losses: 1 },
      text: 'Allow a loss',
      beyond: 'Raymond / van de Snepscheut assumes channels that lose nothing.',
    },
  });
  const again = await sessionOf('C4', 'complete:2', { commands: 0, initiators: ['a'] });
  expect(refusal(again, 'command', 'b multicasts (x)')?.allow?.budget).toEqual({
    commands: 1,
    initiators: ['a', 'b'],
  });
});

it('a crash loses what was not sent where the budget says so', async () => {
  const steps = ['a acquires', 'a crashes'];
  const words = 'leave unsent';
  const strict = await sessionOf('A18', 'complete:3', { crashes: 1 }, ...steps);
  const refused = impossible(strict.run, strict.now.value).filter(({ text }) =>
    text.startsWith(words),
  );
  expect(refused.length).toBeGreaterThan(0);
  expect(new Set(refused.map(({ allow }) => allow?.budget.unsent))).toEqual(new Set([true]));
  const free = await sessionOf('A18', 'complete:3', { crashes: 1, unsent: true }, ...steps);
  const offered = possible(free.run, free.now.value).filter(({ text }) => text.startsWith(words));
  expect(offered.map(({ text }) => text).sort()).toEqual(refused.map(({ text }) => text).sort());
});

it('time names what must happen first', async () => {
  const session = await sessionOf('B1', 'complete:3', {}, 'c elects');
  const { run } = session;
  for (
    let tick = 0;
    tick < 100 && possible(run, session.now.value).some(({ kind }) => kind === 'tick');
    tick++
  )
    session.take(possible(run, session.now.value).find(({ kind }) => kind === 'tick')?.number ?? 0);
  expect(refusal(session, 'tick', '50 ms pass')?.why).toMatch(
    /^\S+ from c to [ab] must arrive first\.$/,
  );
});

/** Whether what was refused is possible in another session. */
function offers({ run, now }: Session, { kind, text, target }: Impossible): boolean {
  return possible(run, now.value).some(
    (can) =>
      can.kind === kind &&
      (kind === 'split' || (can.text === text && canonical(can.target) === canonical(target))),
  );
}

function drawing(seed: number): (below: number) => number {
  let state = seed * 7919;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}
