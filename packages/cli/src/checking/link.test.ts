/** The links of `conclave check` open the counterexamples that it prints. */
import { nextOrFault } from '@conclave/check/internal';
import { ConclaveError } from '@conclave/core/protocol';
import { linesText, parseTrace } from '@conclave/core/trace';
import { pageUrl } from '@conclave/studio/internal/page';
import { parseLink } from '@conclave/studio/link';
import { proof } from '@conclave/tools/sample';
import { beforeAll, describe, expect, it } from 'vitest';
import { announcement } from '../../../studio/src/model/announcement.contract.js';
import { register } from '../../../studio/src/model/own.js';
import { Session } from '../../../studio/src/model/session.js';
import { conclave, fixture, json, words } from '../fixtures/conclave.js';
import { protocolsIn } from '../input/module.js';

const halfAnnounced = fixture('../../../studio/src/model/announcement.contract.ts');

interface Found {
  readonly name: string;
  readonly verdict: string;
  readonly trace?: string;
  readonly link?: string;
  readonly loopsFrom?: number;
}

async function opened(link: string): Promise<Session> {
  const [page = '', hash = page] = link.split('#');
  if (hash !== page) expect(page).toBe(pageUrl.href);
  const parsed = parseLink(hash);
  if (!parsed) throw new Error(`no link: ${link}`);
  return Session.open(parsed);
}

/** The printed steps of a session, without the moments. */
const stepsOf = ({ run, tip }: Session): string =>
  linesText(run.trace(tip.value).lines.map(({ time: _, ...line }) => line));

/**
 * Whether the last world of a session violates a property of single worlds; undefined for the other
 * properties.
 */
function isViolatedAt({ system, tip }: Session, name: string): boolean | undefined {
  const { protocol, worlds } = system;
  const { world } = tip.value;
  if (name === 'every message is handled or explicitly ignored')
    return worlds
      .actions(world)
      .some((action) => nextOrFault(worlds, world, action) instanceof ConclaveError);
  if (name === 'no node waits in a quiescent state') return worlds.actions(world).length === 0;
  const property = protocol.properties.find((one) => one.name === name);
  if (property?.kind !== 'always' && property?.kind !== 'never') return undefined;
  return property.holds(worlds.view(world)) === (property.kind === 'never');
}

describe('the link of a violated property', () => {
  const ofWorlds = new Set<string>();
  let loops = 0;
  beforeAll(async () => {
    register({
      protocols: Object.values(await protocolsIn(fixture('hot-potato.js'), 'hotPotato')),
    }); // as the page of `conclave studio <module>` does
    register({ protocols: [announcement] });
  });

  proof.each<[string, readonly string[]]>([
    ['deepening', ['raymond', '--loss', '1']],
    [
      'options',
      ['A7', '--option', 'greedy=2', '--loss', '1', '--topology', 'tree:2:2', '--entries', '2'],
    ],
    [
      'random walks',
      ['A3', '--topology', 'complete:3', '--loss', '1', '--walks', '30', '--max-depth', '60'],
    ],
    [
      'a crash and a restart',
      ['A1', '--topology', 'star:3', '--crash', '1', '--restart', '1', '--initiators', 'b'],
    ],
    ['a partition', ['A3', '--topology', 'complete:2', '--partition', '1', '--safety']],
    [
      'duplication and overtaking',
      ['A6', '--topology', 'complete:2', '--duplicate', '1', '--order', 'any'],
    ],
    ['a search in depth', ['A3', '--topology', 'complete:2', '--loss', '1', '--search', 'depth']],
    ['choices', ['B15', '--topology', 'ring:2', '--loss', '1']],
    [
      'a finer tick',
      words`A3 --option acknowledged --topology complete:2 --delay 600:1500
        --max-states 5000`,
    ],
    ['exact time', words`A14 --topology ring:2 --loss 1 --crash 1 --safety --max-states 20000`],
    ['clocks that drift', ['B1', '--topology', 'complete:2', '--crash', '1', '--drift', '0.5']],
    [
      'a run forever',
      words`${fixture('hot-potato.js')} --export hotPotato --topology ring:2
        --initiators a`,
    ],
    ['the initial state', ['B3', '--entries', '0']],
    [
      'a crash in some states, and discarded messages',
      [
        ...['A11', '--topology', 'ring:3', '--duplicate', '1', '--crash', '1'],
        ...['--crash-in', 'waiting', '--unexpected', 'discard'],
      ],
    ],
    ['a crash in the middle of a step', [halfAnnounced, '--crash', '1']],
    [
      'a crash that loses what was sent before',
      [halfAnnounced, '--crash', '1', '--atomic-steps', '--unsent'],
    ],
  ])('after %s opens the printed run', async (_what, argv) => {
    const { value } = await json('check', ...argv);
    const violated = (value.properties as readonly Found[]).filter(
      ({ verdict }) => verdict === 'violated',
    );
    expect(violated.length).toBeGreaterThan(0);
    for (const { name, trace = '', link = '', loopsFrom } of violated) {
      const session = await opened(link);
      if (value.tick !== undefined)
        expect(session.system.setup.budget.time).toMatchObject({ tick: value.tick });
      const { lines } = parseTrace(trace);
      expect(stepsOf(session)).toBe(linesText(lines.map(({ time: _time, ...line }) => line)));
      const isViolated = isViolatedAt(session, name);
      expect([name, isViolated]).toEqual([name, isViolated === undefined ? undefined : true]);
      if (isViolated) ofWorlds.add(name);
      const { loop, run } = session;
      expect(loop.value === undefined).toBe(loopsFrom === undefined);
      if (loop.value && loop.value !== session.tip.value) loops++;
      if (loop.value) expect(run.trace(loop.value).lines).toHaveLength(loopsFrom ?? Number.NaN);
    }
  });

  proof('was opened for properties of single worlds, and for loops', () => {
    expect(ofWorlds.size).toBeGreaterThan(4);
    expect(loops).toBeGreaterThan(0);
  });

  it('is a line below its run, and only there', async () => {
    const argv = ['check', 'raymond', '--loss', '1', '--topology', 'tree:2:2'];
    const [{ stdout }, { value }] = [await conclave(argv), await json(...argv)];
    const links = (value.properties as readonly Found[]).flatMap(({ link }) => link ?? []);
    expect(stdout.match(/^Look: .*$/gm)).toEqual(links.map((link) => `Look: ${link}`));
    expect(links).toContain(`${pageUrl}#raymond?topology=tree:2:2&losses=1&steps=1.1.2`);
    expect(stdout).toMatch(/\nb {2}drop token\(0\) from a\nLook: /);
    expect((await conclave(['check', 'raymond', '--topology', 'tree:2:2'])).stdout).not.toContain(
      'Look: ',
    );
  });

  it('is a command for a module of the user', async () => {
    const argv = words`check ${fixture('hot-potato.js')} --export hotPotato --topology ring:2
      --initiators a`;
    const { stdout } = await conclave(argv);
    const { value } = await json(...argv);
    const { link } = value.properties[0] as Found;
    expect(link).toBe('hot-potato?topology=ring:2&initiators=a&steps=0.0.0.0.0&loop=1');
    expect(stdout).toContain(
      `\nLook: npx conclave studio ${fixture('hot-potato.js')} --export hotPotato --link '${link}'\n`,
    );
  });

  it('is missing for a system of plain functions', async () => {
    const { stdout } = await conclave(
      words`check ${fixture('two-phase-commit.js')} --export blocking`,
    );
    expect(stdout).toMatch(/^✗ /m);
    expect(stdout).not.toContain('Look: ');
  });
});
