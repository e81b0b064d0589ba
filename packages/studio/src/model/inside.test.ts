/** Crashes in the middle of a step, from the list of actions to the verdict. */

import { topology } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { beforeAll, describe, expect, it } from 'vitest';
import { linkText, parseLink } from '../link/link.js';
import { nodeItems } from '../view/network/menus.js';
import { allOrNone, announcement } from './announcement.contract.js';
import { check } from './conclusion.js';
import { impossible } from './impossible.js';
import { register } from './own.js';
import { Player } from './player.js';
import { possible, whatIfs } from './possible.js';
import { badges } from './properties.js';
import { actorOf, takenIn } from './rules.js';
import { Session } from './session.js';
import { graph } from './state-graph.js';
import { budgetTexts, type StudioBudget, systemOf } from './system.js';
import { linkOfRun } from './trace-link.js';
import { isInside } from './words.js';

const setupOf = (budget: StudioBudget, spec = 'complete:3') => ({
  protocol: 'announcement',
  options: {},
  topology: spec,
  budget,
});
const open = async (budget: StudioBudget, spec?: string) =>
  new Session(await systemOf(setupOf({ initiators: ['a'], ...budget }, spec)));
const offered = ({ run, now }: Session) => possible(run, now.value);
const inside = (session: Session) => offered(session).flatMap((one) => (one.inside ? [one] : []));
const take = (session: Session, text: string) =>
  session.take(offered(session).find((one) => one.text === text)?.number ?? expect.fail(text));
const toB = "a crashes in the middle of 'a announces': leader sent to b, not to c";

beforeAll(() => register({ protocols: [announcement] }));

describe('a crash in the middle of a step', () => {
  it('is offered in words, each part of what the step sends once', async () => {
    const session = await open({ crashes: 1 });
    expect(
      inside(session).map(({ kind, target, inside }) => [kind, target, inside?.step, inside?.fate]),
    ).toEqual(
      ['leader sent to b, not to c', 'leader sent to c, not to b', 'leader not sent to b, c'].map(
        (fate) => ['inside', { kind: 'node', node: 'a' }, 'a announces', fate],
      ),
    );
    expect(inside(session).map(({ text }) => text)).toContain(toB);
    expect(inside(await open({ crashes: 1, atomicSteps: true }))).toEqual([]);
    expect(inside(await open({}))).toEqual([]);
  });

  it('names the message that the node has received, and its start', async () => {
    const session = new Session(
      await systemOf({
        protocol: 'A3',
        options: {},
        topology: 'complete:2',
        budget: { crashes: 1 },
      }),
    );
    take(session, 'a acquires');
    expect(inside(session).map(({ text }) => text)).toContain(
      "b crashes in the middle of 'b receives request(1) from a': reply not sent to a",
    );
    const beats = new Session(
      await systemOf({
        protocol: 'C3',
        options: {},
        topology: 'complete:2',
        budget: { crashes: 1 },
      }),
    );
    const start = inside(beats).filter(({ inside }) => inside?.step === 'b starts');
    expect(start.map(({ text }) => text)).toEqual([
      "b crashes in the middle of 'b starts': heartbeat not sent to a",
    ]);
    beats.take(start[0]?.number ?? -1);
    const { protocol, topology } = beats.system;
    const trace = beats.run.trace(beats.now.value);
    expect(trace.lines.map(({ node, event }) => `${node} ${event.kind}`)).toEqual([
      'a start',
      'b start',
      'b crash',
      'a drop',
    ]);
    expect(replay(protocol, topology, trace)).toEqual({ steps: 4 });
    expect(actorOf(beats.now.value.step ?? expect.fail())).toBe(undefined); // its start is no step
  });

  it('is one step with all its lines, which is taken back and opened by a link', async () => {
    const session = await open({ crashes: 1 });
    take(session, toB);
    const { now, run, system } = session;
    const { step, world, depth } = now.value;
    expect(depth).toBe(1);
    expect(
      run
        .lines(now.value)
        .map(({ line, moment }) => `${moment.depth} ${line.node} ${line.event.kind}`),
    ).toEqual(['1 a command', '1 a crash', '1 c drop']);
    expect([world.crashed, world.nodes.a?.value, Object.keys(world.channels)]).toEqual([
      ['a'],
      'leading',
      ['a→b'],
    ]);
    expect(step && actorOf(step)).toBe('a');
    expect(step && takenIn(system, 'a', step)).toEqual(['alone announce 0']);
    const crashed = now.value;
    session.back();
    take(session, 'a announces');
    expect(run.start.branches).toEqual([crashed, now.value]);
    session.goTo(crashed);
    const again = await Session.open(parseLink(linkText(session.link())) ?? expect.fail());
    expect(again.run.trace(again.tip.value)).toEqual(run.trace(crashed));
  });

  it('is in the menu of its node under Crash; many are in the list', async () => {
    const session = await open({ crashes: 1 });
    const labels = (of: Session) => nodeItems(of, 'a').map(({ label }) => label);
    const first = labels(session).indexOf('Crash');
    expect(labels(session).slice(first, first + 4)).toEqual([
      'Crash',
      "Crash in the middle of 'a announces': leader sent to b, not to c",
      "Crash in the middle of 'a announces': leader sent to c, not to b",
      "Crash in the middle of 'a announces': leader not sent to b, c",
    ]);
    expect(labels(await open({ crashes: 1 }, 'complete:4'))).toContain(
      'Crash in the middle of a step …',
    );
  });

  it('does not crowd out the other steps of a random walk', async () => {
    const session = await open({ crashes: 1 }, 'complete:5'); // 15 crashes of 21 actions
    let crashes = 0;
    for (let seed = 1; seed <= 40; seed++) {
      session.goTo(session.run.start);
      const player = new Player(session);
      player.walk(seed);
      player.advance(1000, 1);
      const action = session.now.value.step?.action;
      if (action && isInside(action)) crashes++;
    }
    expect(crashes).toBeGreaterThan(0);
    expect(crashes).toBeLessThan(12);
  });

  it('is refused where a node has too many neighbours; what allows a crash there makes steps atomic', async () => {
    await expect(systemOf(setupOf({ crashes: 1 }, 'complete:10'))).rejects.toThrow(
      'Take a smaller network, or crashes only between steps.',
    );
    const session = await open({}, 'complete:10');
    const refused = impossible(session.run, session.now.value).find(({ kind }) => kind === 'crash');
    expect(refused?.allow?.budget).toEqual({ crashes: 1, atomicSteps: true });
    await expect(session.withBudget(refused?.allow?.budget ?? {})).resolves.toBeInstanceOf(Session);
    expect(
      whatIfs(session.system).flatMap(({ change }) => (change.crashes ? [change.atomicSteps] : [])),
    ).toEqual([true, true]);
  });

  it('is what budgets and questions are about', async () => {
    const { system } = await open({ crashes: 1, atomicSteps: true });
    expect(budgetTexts(system)).toContain('at most one crash between steps');
    expect(budgetTexts((await open({ crashes: 2, unsent: true })).system)).toEqual(
      expect.arrayContaining([
        'at most 2 crashes between or inside steps',
        'a crash may lose what was sent in earlier steps',
      ]),
    );
    expect(whatIfs(system)).toEqual(
      expect.arrayContaining([
        { text: 'nodes crash in the middle of a step, too', change: { atomicSteps: false } },
        {
          text: 'a crash loses what the node sent in earlier steps, too',
          change: { unsent: true },
        },
      ]),
    );
  });
});

describe('a violation by a crash in the middle of a step', () => {
  const found = async (budget: StudioBudget) => {
    const { system } = await open(budget);
    const finding = check(system, {}, () => {}).properties.find(({ name }) => name === allOrNone);
    return { system, ...finding };
  };

  it('is found by a check of the page, opened and played, and its property is false at its end', async () => {
    const { system, verdict, steps = [], trace } = await found({ crashes: 1 });
    expect([verdict, steps.length]).toEqual(['violated', 2]);
    const session = new Session(system);
    session.show(steps, { at: 0 });
    const value = () => badges(session).value.find(({ name }) => name === allOrNone)?.value;
    const player = new Player(session);
    player.play();
    const values = [value()];
    while (player.playing.value) {
      player.advance(1000, 1);
      if (player.playing.value) values.push(value());
    }
    expect(values).toEqual(['true', 'true', 'false']);
    expect(session.run.trace(session.tip.value).lines).toEqual(trace?.lines);
    expect((await found({ crashes: 1, atomicSteps: true })).verdict).toBe('holds');
    expect((await found({ crashes: 1, atomicSteps: true, unsent: true })).verdict).toBe('violated');
  });

  it('is in the state graph', async () => {
    const { system } = await open({ crashes: 1 });
    const { edges, complete } = graph(system, {}, () => {});
    expect(complete).toBe(true);
    expect(edges.filter(({ from }) => from === 0).map(({ text }) => text)).toContain(toB);
  });

  it('is followed from its trace, whatever the budget said about steps', async () => {
    const { trace } = await found({ crashes: 1 });
    const link = linkOfRun(
      announcement,
      topology('complete:3'),
      trace ?? expect.fail(),
      setupOf({ atomicSteps: true }),
    );
    expect(link.setup.budget).toEqual({ crashes: 1 });
    const session = await Session.open(link);
    expect(session.tip.value.depth).toBe(2);
  });
});

it('a message of an earlier step is left unsent on a channel of any order, where the budget says so', async () => {
  const session = await open({ crashes: 1 });
  take(session, 'a announces');
  take(session, 'a crashes');
  const refused = impossible(session.run, session.now.value).filter(
    ({ kind }) => kind === 'unsent',
  );
  expect(refused.map(({ text, allow }) => [text, allow?.budget])).toEqual([
    ['leave unsent leader from a to b', { unsent: true }],
    ['leave unsent leader from a to c', { unsent: true }],
  ]);
  const free = await session.withBudget({ unsent: true });
  expect(offered(free).flatMap(({ kind, text }) => (kind === 'unsent' ? [text] : []))).toEqual(
    refused.map(({ text }) => text),
  );
});
