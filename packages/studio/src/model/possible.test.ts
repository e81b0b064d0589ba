import { describe, expect, it } from 'vitest';
import type { StudioBudget } from '../link/setup.js';
import { impossible } from './impossible.js';
import { type Impossible, possible, separates } from './possible.js';
import type { Run } from './run.js';
import { Session } from './session.js';
import { systemOf } from './system.js';

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

/** The reasons that no budget removes, each with what it says; `$1` is the first word that it names. */
const truths: readonly (readonly [RegExp, (seen: Seen, name: string) => boolean])[] = [
  [/^(\S+) must answer its choice first\.$/, ({ world }, name) => world.choosing[0]?.node === name],
  [/^Nothing more happens: the last step failed\.$/, ({ session }) => session.now.value.step?.fault !== undefined],
  [
    / is ahead of it(, and \d+ more)?\.$/,
    ({ worlds, refused: { target } }) => worlds.order === 'fifo' && target.kind === 'message' && (target.positions[0] ?? 0) > 0,
  ],
  [
    /^(\S+) has crashed(: its timers are not armed)?\.$/,
    ({ world, refused: { target } }, name) =>
      world.crashed.includes(name) && (target.kind === 'message' ? target.to : target.kind === 'node' && target.node) === name,
  ],
  [/^(\S+) has not crashed\.$/, ({ world }, name) => !world.crashed.includes(name)],
  [
    /^The network is split between \S+ and \S+\.$/,
    ({ world, refused: { target } }) => target.kind === 'message' && separates(world.cut, target.from, target.to),
  ],
  [/^The network is split already/, ({ world }) => world.cut.length > 0],
  [/^The network is not split\.$/, ({ world }) => world.cut.length === 0],
  [/^12 nodes can be split in 2,047 ways/, ({ session }) => session.system.topology.nodes.length === 12],
  [/relies on a network that reports each crash/, ({ session }) => session.system.protocol.crashNotice !== undefined],
  [/^It (arrives|fires) in [\d.]+ ms at the earliest\.$/, ({ worlds }) => worlds.clockwork !== undefined],
  [
    / must arrive first\.$| must fire first\.$| must leave .* first\.$/,
    ({ world, worlds, refused }) => refused.kind === 'tick' && !worlds.actions(world).some(({ type }) => type === 'tick'),
  ],
  [/^No clock runs/, ({ world, worlds }) => worlds.isTimeless(world)],
  [
    /^The condition of (\S+) is not true: (?:\S+) is in '.*'\.$/,
    ({ session, refused: { target } }, type) => {
      const { protocol } = session.system;
      return (
        target.kind === 'node' &&
        protocol.commands[type]?.when?.(session.system.worlds.view(session.now.value.world).node(target.node)) === false
      );
    },
  ],
  [/^(\S+) got \S+ already/, ({ world }, name) => (world.remaining.fulfilled[name] ?? []).length > 0],
  [
    /^Only '\S+' arms it; \S+ is in '.*'\.$|is not armed any more|^It is not armed\.$/,
    ({ world, refused: { target, text } }) =>
      target.kind === 'node' && !world.nodes[target.node]?.timers.some(({ id }) => text.includes(id.replace('xstate.after.', ''))),
  ],
];

interface Seen {
  readonly session: Session;
  readonly world: Run['start']['world'];
  readonly worlds: Run['system']['worlds'];
  readonly refused: Impossible;
}

const kindsSeen = new Set<string>();

describe.each(systems)('%s on %s', (protocol, topology, budget) => {
  it('tells what can happen, and why the rest cannot', async () => {
    const larger: StudioBudget = { ...budget, commands: 9, restarts: 9, crashes: 9 };
    const start = new Session(await systemOf({ protocol, options: {}, topology, budget }));
    let allowed = 0;
    for (let seed = 1; seed <= 2; seed++) {
      const draw = drawing(seed);
      start.goTo(start.run.start);
      for (let step = 0; step < 20; step++) {
        const { run, now } = start;
        const { world } = now.value;
        const can = possible(run, now.value);
        const actions = now.value.step?.fault ? [] : run.system.worlds.actions(world);
        expect(can.map(({ number, action }) => [number, action])).toEqual(actions.map((action, index) => [index, action]));
        expect(new Set(can.map(({ text, target }) => JSON.stringify([text, target]))).size).toBe(can.length);
        const cannot = impossible(run, now.value);
        const names = cannot.map(({ kind, text, target }) => `${kind} ${text} ${JSON.stringify(target)}`);
        expect(new Set(names).size).toBe(names.length);
        for (const refused of cannot) {
          kindsSeen.add(refused.kind);
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
          expect(offers(await start.withBudget(one.allow.budget), one), `${one.text} after ${JSON.stringify(one.allow.budget)}`).toBe(true);
        }
        if (can.length === 0) break;
        start.take(draw(can.length));
      }
      const rich = await start.withBudget(larger);
      expect(rich.now.value.depth).toBe(start.now.value.depth);
      for (const refused of impossible(start.run, start.now.value))
        if (!refused.allow) expect(offers(rich, refused), refused.why).toBe(false);
    }
    expect(allowed).toBeGreaterThan(2);
  });
});

it('the walks met every kind of refusal', () => {
  // Two choices are never open at once in these.
  expect([...kindsSeen].sort()).toEqual([
    'command',
    'crash',
    'deliver',
    'drop',
    'duplicate',
    'heal',
    'restart',
    'split',
    'tick',
    'timeout',
    'unsent',
  ]);
});

/** Whether what was refused is possible in another session. */
function offers({ run, now }: Session, { kind, text }: Impossible): boolean {
  return possible(run, now.value).some((can) => can.kind === kind && (kind === 'split' || can.text === text));
}

function drawing(seed: number): (below: number) => number {
  let state = seed * 7919;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}
