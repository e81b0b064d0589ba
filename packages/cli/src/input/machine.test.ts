/** A module that exports statecharts of XState, and nothing of Conclave. */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { conclave, json, temporary } from '../fixtures/conclave.js';

/**
 * docs/your-machine.md: the machine, what it is asked, what stands beside it, what is found, a run of
 * it, and its test.
 * <!-- program: your-machine --> <!-- program: beside-your-machine -->
 * <!-- program: test-your-machine --> <!-- program: judge-your-machine -->
 */
const page = readFileSync(new URL('../../../../docs/your-machine.md', import.meta.url), 'utf8');
const [user = '', asked = '', beside = '', found = '', events = '', tested = '', judged = ''] = [
  ...page.matchAll(/```(?:js|text)\n([\s\S]*?)```/g),
].map(([, text]) => text);
const other = `
import { createMachine } from 'xstate';
export const light = createMachine({
  initial: 'on',
  states: { on: { on: { toggle: 'off' } }, off: { on: { toggle: 'on' } } },
});`;

describe('a bare statechart', () => {
  it('is checked without a bound, and what is never reached is named', async () => {
    const path = temporary('user.mjs', user + beside);
    const { exitCode, stdout, stderr } = await conclave(['check', path]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    for (const line of [
      /^loadUser, own$/m,
      /^workload {2}'fetch' and 'rename' and .* to every node, any number of times$/m,
      /^found {5}17 states/m,
      /^Complete: every reachable state was explored\.$/m,
      /^Assumed: that the effect beep changes nothing that the machine reads\.$/m,
      /^Assumed: that the actor load may end at any moment while it runs\.$/m,
    ])
      expect(stdout).toMatch(line);
    expect(stdout).toContain(found);
  });

  it('names a list that grows, and is explored with bounded events', async () => {
    const cart = temporary(
      'cart.mjs',
      `import { assign, createMachine } from 'xstate';
export const cart = createMachine({
  context: { items: [] },
  on: { ADD: { actions: assign({ items: ({ context }) => [...context.items, 'tea'] }) } },
});`,
    );
    const endless = await conclave(['check', cart, '--max-states', '100']);
    expect(endless.exitCode).toBe(2);
    expect(endless.stdout).toMatch(/^items takes \d+ values: .* --entries 4\.$/m);
    const { exitCode, stdout } = await conclave(['check', cart, '--entries', '4']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^found {5}5 states/m);
    expect(stdout).not.toContain('items takes');
  });

  it('is judged by properties that stand beside it', async () => {
    const property = `
import { never } from '@conclave/core/protocol';
export const properties = [never('three tries', ({ nodes }) => nodes[0].context.tries === 2)];`;
    const { exitCode, value } = await json(
      'check',
      temporary('tries.mjs', user + beside + property),
    );
    expect(exitCode).toBe(1);
    const [found] = value.properties;
    expect([found.name, found.verdict]).toEqual(['three tries', 'violated']);
    expect(found.trace).toContain('a  fetch');
    expect(found.link).toContain('commands');
  });

  it('replays what is written down, and is tested', async () => {
    const path = temporary('user.mjs', user + beside);
    const { exitCode, stdout } = await conclave([
      ...['replay', temporary('events.txt', events), '--events', '--protocol', path],
    ]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^a {2}done\(load\)\({name: ada}\) {2}loading → shown$/m);
    vi.spyOn(console, 'log').mockImplementation(() => {}); // its action beeps
    const program = tested.replace('./user.mjs', pathToFileURL(path).href);
    const test = await import(
      pathToFileURL(temporary('test.mjs', `${program}export { paths, steps };`)).href
    );
    expect([test.paths, test.steps]).toEqual([21, 96]);
    const judge = judged
      .replace('./user.mjs', pathToFileURL(path).href)
      .replace('{ expect, it }', '{ expect }')
      .replace(/^it\('.*?', /m, 'export const holds = (');
    const { holds } = await import(pathToFileURL(temporary('judge.mjs', judge)).href);
    expect(holds).not.toThrow();
  });

  it('is asked for the fields that it reads, all in one line', async () => {
    const { exitCode, stderr } = await conclave(['check', temporary('asked.mjs', user)]);
    expect(exitCode).toBe(2);
    expect(stderr).toBe(asked);
  });

  it('is drawn without being asked, as it stands', async () => {
    const { exitCode, stdout } = await conclave(['chart', temporary('drawn.mjs', user)]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('idle --> loading : fetch');
    expect(stdout).not.toContain('Actors');
  });

  it('is chosen among several', async () => {
    const path = temporary('two.mjs', user + other);
    expect((await conclave(['check', path, '--export', 'light'])).stdout).toContain(
      'found     2 states',
    );
    expect((await conclave(['chart', path])).stderr).toContain(
      'exports several protocols: light, user. Choose one, as in --export light.',
    );
  });

  const lights = `
import { createMachine } from 'xstate';
import { never } from '@conclave/core/protocol';
export const properties = [never('it is dark', ({ nodes }) => nodes[0].value !== 'on')];
export const light = createMachine({ id: 'light', initial: 'on', states: {
  on: { on: { toggle: 'off', unplug: 'unplugged' } },
  off: { on: { toggle: 'on', smash: 'broken' } },
  unplugged: { type: 'final' },
  broken: { on: { sweep: 'swept' } }, swept: {},
} });`;

  it('is told from where no final state can be reached, by a run', async () => {
    const { exitCode, stdout } = await conclave(['check', temporary('lights.mjs', lights)]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('no final state from: broken; swept');
    expect(stdout).toMatch(
      /^No final state can be reached from broken any more:\na {2}toggle {2}on → off\na {2}smash {3}off → broken$/m,
    );
  });

  it('has readable names of ends and timers, and is told which events no state takes', async () => {
    const path = temporary(
      'pinging.mjs',
      `
import { createMachine, fromPromise, raise } from 'xstate';
const ping = fromPromise(async () => 1);
export const pinging = createMachine({ initial: 'one', states: {
  one: { invoke: { src: ping, id: 'ping', onDone: { target: 'two', actions: raise({ type: 'pong' }) } } },
  two: { after: { 200: 'one' } },
  three: { on: { leave: 'one' } },
} });`,
    );
    const { stdout } = await conclave(['check', path]);
    expect(stdout).toContain("'leave' and 'done(ping)' to every node");
    expect(stdout).toContain('no reachable state takes: leave; pong');
    expect((await json('check', path)).value.coverage[0].untaken).toEqual(['leave', 'pong']);
    for (const format of ['mermaid', 'svg']) {
      const drawn = (await conclave(['chart', path, '--format', format])).stdout;
      expect(drawn).toContain('done(ping)');
      expect(drawn).toContain('after 200 ms');
    }
    const run = ['a done(ping)', 'a timeout after 200 ms in two'].join('\n');
    const trace = temporary('run.mmd');
    const replayed = await conclave([
      ...['replay', temporary('events.txt', run), '--events', '--protocol', path],
      ...['--trace', trace],
    ]);
    expect(replayed.stdout).toMatch(/^a {2}timeout after 200 ms in two {2}two → one$/m);
    expect(readFileSync(trace, 'utf8')).toContain('after 200 ms in two');
  });

  it('is told what to do in place of asking a clock', async () => {
    const text = `
import { assign, createMachine } from 'xstate';
export const clock = createMachine({ on: { tick: { actions: assign({ at: () => Date.now() }) } } });`;
    const { exitCode, stderr } = await conclave(['check', temporary('clock.mjs', text)]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /asks Date\.now, .* Give the value as a field of the event: https:.*\.md#/,
    );
  });

  it('has several counterexamples, each with another end', async () => {
    const path = temporary('lights.mjs', lights);
    const { stdout } = await conclave(['check', path, '--counterexamples', '3']);
    expect(stdout.match(/^✗ it is dark, after \d steps?:$/gm)).toEqual([
      '✗ it is dark, after 1 step:',
      '✗ it is dark, after 1 step:',
      '✗ it is dark, after 2 steps:',
    ]);
    const { value } = await json('check', path, '--counterexamples', '9');
    expect(value.properties[0].others).toHaveLength(3);
    expect(value.deadEnds.states).toEqual(['broken', 'swept']);
  });

  it('is checked from where a run ends', async () => {
    const path = temporary('lights.mjs', lights);
    const run = temporary('run.trace');
    await conclave(['check', path, '--trace', run]);
    const again = temporary('again.trace');
    const { stdout } = await conclave(['check', path, '--from', run, '--trace', again]);
    expect(stdout).toContain('Assumed: that a run begins with the 1 line of the given one.');
    expect((await conclave(['replay', again, '--protocol', path])).exitCode).toBe(0);
    const refused = await conclave([
      'check',
      temporary('two.mjs', other.replace('light =', 'two =')),
      '--from',
      run,
    ]);
    expect(refused.stderr).toContain("is a trace of 'light', and this is 'two'");
    expect(refused.exitCode).toBe(2);
  });

  it.each([
    [
      'examples',
      'export const examples = { renam: [{}] };',
      "there are examples of 'renam', which no state takes",
    ],
    [
      'actors',
      'export const actors = { lod: {} };',
      "it is said how 'lod' ends, which no state invokes",
    ],
  ])('has no misspelt %s', async (_, text, why) => {
    const { exitCode, stderr } = await conclave(['check', temporary('misspelt.mjs', user + text)]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(why);
  });
});
