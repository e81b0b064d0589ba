import { usualWorkload } from '@conclave/core/internal/simulation';
import { simulate } from '@conclave/core/simulation';
import { traceText } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { linkText, parseLink, type Setup } from '../link/link.js';
import { type PlaySettings, simulatedLink, usualSettings } from './play.js';
import { Session } from './session.js';
import { systemOf } from './system.js';
import { traceLink } from './trace-link.js';

const setupOf = (protocol: string, topology: string, budget: Setup['budget'] = {}): Setup => ({
  protocol,
  options: {},
  topology,
  budget,
});

async function play(setup: Setup, settings: Partial<PlaySettings> = {}) {
  const system = await systemOf(setup);
  const { link, ending } = simulatedLink(system, { ...usualSettings(system), ...settings });
  const session = await Session.open({ ...link, at: link.steps.length });
  return { system, link, ending, session, lines: session.run.trace(session.now.value).lines };
}

describe('a simulation that is played', () => {
  it('is the simulated run, step by step, with its times', async () => {
    const setup = setupOf('raymond', 'tree:2:5');
    const { system, link, ending, lines } = await play(setup, { seed: 7, delay: 'uniform:1:10' });
    const { protocol, topology } = system;
    const conditions = { delay: { kind: 'uniform', least: 1, most: 10 }, order: 'any' } as const;
    const { trace } = simulate({
      protocol,
      topology,
      seed: 7,
      conditions,
      workload: usualWorkload(protocol),
      record: true,
    });
    expect(lines).toEqual(trace?.lines);
    expect(lines.length).toBeGreaterThan(20);
    expect(link.at).toBe(0);
    expect(ending).toMatch(/^Nothing was left to do at \d+ ms$/);
  });

  it('is the same with the same seed, and another with another', async () => {
    const [one, same, other] = await Promise.all(
      [3, 3, 4].map((seed) => play(setupOf('A3', 'complete:3'), { seed })),
    );
    expect(same?.link).toEqual(one?.link);
    expect(other?.link).not.toEqual(one?.link);
  });

  it('gives the commands of a budget that lists them, also those that are no example', async () => {
    const inputs = [{ type: 'multicast', data: 'z' }];
    const { link } = await play(setupOf('causal-multicast', 'complete:2', { inputs }));
    expect(link.setup.budget).toEqual({ inputs });
    const { link: usual } = await play(setupOf('causal-multicast', 'complete:2'));
    expect(usual.setup.budget).toEqual({});
  });

  it('survives in a link', async () => {
    const { link, session } = await play(setupOf('A3', 'complete:3'));
    const again = parseLink(linkText({ ...link, at: 5 }));
    expect(again).toBeDefined();
    const opened = again && (await Session.open(again));
    expect(opened?.now.value.world).toEqual(session.path.value[5]?.world);
    expect(opened?.now.value.step?.time).toBe(session.path.value[5]?.step?.time);
  });

  it('has the budget that it needs, and never less than the user gave', async () => {
    const { link } = await play(setupOf('A3', 'complete:3', { losses: 1, commands: 3 }), {
      entries: 2,
    });
    expect(link.setup.budget).toEqual({ losses: 1, commands: 3 });
    const { link: more } = await play(setupOf('A3', 'complete:3', { losses: 1 }), { entries: 2 });
    expect(more.setup.budget).toEqual({ losses: 1, commands: 2 });
  });

  proof('loses, duplicates and crashes as a run of the explored system', async () => {
    const { link, lines } = await play(setupOf('negative-multicast', 'complete:4'), {
      loss: 0.1,
      duplication: 0.1,
      crashes: 'b@300+50:between',
      seed: 2,
    });
    const count = (kind: string) => lines.filter(({ event }) => event.kind === kind).length;
    const { losses = 0, duplications = 0, crashes, restarts } = link.setup.budget;
    expect({ crashes, restarts }).toEqual({ crashes: count('crash'), restarts: count('restart') });
    expect(count('crash')).toBe(1);
    expect(losses).toBeGreaterThan(0);
    expect(duplications).toBeGreaterThan(0);
    expect(losses).toBeGreaterThanOrEqual(count('drop'));
  });

  it('ends with the step that breaks the node contract', async () => {
    const { ending, session } = await play(setupOf('central-coordinator', 'star:3'), {
      duplication: 0.5,
    });
    expect(ending).toMatch(
      /^A node broke its contract at \d+ ms: Node \w in '\w+' does not handle '\w+'/,
    );
    expect(session.tip.value.step?.fault?.what).toMatch(/^Node \w in '\w+' does not handle '\w+'/);
  });

  it('counts time in ticks where the protocol does, or in none where the delays are not those it assumes', async () => {
    const fitting = await play(setupOf('bully', 'complete:3'));
    expect(fitting.link.setup.budget.time).toMatchObject({ kind: 'exact', tick: 50 });
    const late = await play(setupOf('bully', 'complete:3'), { delay: 'fixed:500' });
    expect(late.link.setup.budget.time).toBe('untimed');
    expect(late.ending).toContain('Its delays are none that the protocol assumes');
  });

  proof('is cut off after 1,000 steps, and says so', async () => {
    const { ending, lines } = await play(setupOf('A3', 'complete:4'), { entries: 60 });
    expect(ending).toMatch(/^Cut off at \d+ ms: a run that is played has at most 1000 steps$/);
    expect(lines).toHaveLength(1000 - 4); // the starts of the four nodes are steps, too
  });

  it('commands only those that the budget lets begin', async () => {
    const { lines } = await play(setupOf('A3', 'complete:3', { initiators: ['b'] }));
    expect(lines.flatMap(({ node, event }) => (event.kind === 'command' ? [node] : []))).toEqual([
      'b',
      'b',
    ]);
  });

  it.each([
    [
      { crashes: 'b at 5' },
      "'b at 5' is no crash. Write c@100, or c@100+50 for a restart 50 ms later; after it :inside for a crash in the middle of the next step, or :between for one between two.",
    ],
    [{ crashes: 'z@5' }, "'z' is no node of 'complete:3'"],
    [{ delay: 'soon' }, "'soon' is no delay"],
    [{ loss: 2 }, 'loss'],
  ])('refuses %j', async (settings, message) => {
    await expect(play(setupOf('A3', 'complete:3'), settings)).rejects.toThrow(message);
  });
});

describe('a trace file', () => {
  it('opens with its protocol, options, network, budget and times', async () => {
    const system = await systemOf({ ...setupOf('raymond', 'chain:3'), options: { greedy: 2 } });
    const { protocol, topology } = system;
    const { trace } = simulate({
      protocol,
      topology,
      seed: 5,
      workload: usualWorkload(protocol, { entries: 2 }),
      record: true,
    });
    if (!trace) throw new Error('no trace');
    const link = await traceLink(traceText(trace), 'run.trace');
    expect(link.setup).toEqual({
      ...setupOf('raymond', 'chain:3'),
      options: { greedy: 2 },
      budget: { commands: 2 },
    });
    const session = await Session.open(link);
    const texts = (lines: readonly { readonly time?: number }[]) =>
      lines.map(({ time = 0, ...line }) => ({ ...line, time: Number(time.toFixed(3)) }));
    expect(texts(session.run.trace(session.now.value).lines)).toEqual(texts(trace.lines));
  });

  it('without times, has none', async () => {
    const session = new Session(await systemOf(setupOf('raymond', 'chain:3')));
    session.show([2, 0, 0]);
    const link = await traceLink(traceText(session.run.trace(session.now.value)), 'by-hand.trace');
    expect(link.times).toBeUndefined();
    expect(link.steps).toEqual([2, 0, 0]);
  });

  const header = '# protocol: raymond\n# topology: chain:3\n';
  it.each([
    ['another version', '# conclave-trace: 9\n', 'its form has version'],
    ['no protocol', '# topology: chain:3\n', 'its header has no protocol'],
    ['no network', '# protocol: raymond\n', 'its header has no topology'],
    [
      'an unknown protocol',
      '# protocol: nothing\n# topology: chain:3\n',
      "There is no algorithm 'nothing'",
    ],
    ['options that are none', `# options: 3\n${header}`, "its options '3' are not a JSON object"],
    [
      'an option that there is none of',
      `# options: {"x":1}\n${header}`,
      "raymond: there is no option 'x'. ",
    ],
    ['a network that is none', '# protocol: raymond\n# topology: circle:3\n', 'circle:3'],
    ['a line that is none', `${header}a\n`, 'not a step'],
    [
      'a run that the protocol does not take',
      `${header}a  release  released → released\n`,
      "run.trace: Line 1, 'a  release  released' is not possible",
    ],
  ])('is refused with %s', async (_, text, message) => {
    await expect(traceLink(text, 'run.trace')).rejects.toThrow(message);
  });
});
