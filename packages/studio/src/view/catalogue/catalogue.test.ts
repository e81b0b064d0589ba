import { readFileSync } from 'node:fs';
import { stateText } from '@conclave/core/internal';
import { expect, it } from 'vitest';
import { pagesOf } from '../../build/page.js';
import { labs } from '../../course/exercises.js';
import { linkText, parseLink } from '../../link/link.js';
import { Session } from '../../model/session.js';
import { rowsWith } from './catalogue.js';
import { lecture, type Story, stories } from './lecture.js';

/** What the run of a story ends with. */
async function ending({ link }: Story) {
  const session = await Session.open(link);
  const { world } = session.tip.value;
  return {
    left: session.run.actions(session.tip.value).length,
    states: Object.values(world.nodes).map(({ value }) => stateText(value)),
    tags: Object.values(world.nodes).map(({ tags }) => tags),
  };
}

it('words of both languages find what they mean', () => {
  const { rows, pages } = pagesOf();
  const names = (query: string) =>
    rowsWith(rows, query, (name) => pages[name]?.html ?? '').map(({ name }) => name);
  const finds: Readonly<Record<string, readonly string[]>> = {
    mutex: ['lamport', 'raymond'],
    leader: ['bully', 'franklin', 'raft-election'],
    deadlock: ['maekawa'],
    Wahl: ['bully', 'franklin'],
    Ausschluss: ['lamport', 'raymond'],
    'Wahl Baum': ['tree-wave'],
    Uhr: ['logical-clock'],
    'token ring': ['token-ring'],
  };
  for (const [query, some] of Object.entries(finds)) {
    expect(names(query), query).toEqual(expect.arrayContaining([...some]));
    expect(names(query).length, query).toBeLessThan(rows.length);
  }
  expect(names('lock')).not.toContain('logical-clock');
  expect(names('nothing-like-this')).toEqual([]);
  expect(names('')).toHaveLength(rows.length);
});

it('each is a link, whose notes are on steps that it has', () => {
  for (const { link } of stories) {
    expect(parseLink(linkText(link))).toEqual(link);
    for (const step of Object.keys(link.notes ?? {}))
      expect(Number(step)).toBeLessThanOrEqual(link.steps.length);
  }
});

it('they end as they say', async () => {
  const [waiting, leaders, ring, ...others] = await Promise.all(stories.map(ending));
  expect(others).toEqual([]);
  expect(waiting?.left).toBe(0);
  expect(waiting?.tags.every((tags) => tags.includes('waiting'))).toBe(true);
  expect(leaders?.tags.filter((tags) => tags.includes('leader')).length).toBe(2);
  expect([ring?.left, ring?.states]).toEqual([
    0,
    ['follower', 'follower', 'follower', 'leader.known'],
  ]);
});

const page = readFileSync(new URL('../../../../../docs/teaching.md', import.meta.url), 'utf8');

it('each station of the lecture is a link with all its steps, and a presentation', async () => {
  for (const { title, link } of lecture) {
    expect(parseLink(linkText(link)), title).toEqual(link);
    const session = await Session.open(link);
    expect(session.tip.value.depth, title).toBe(link.steps.length);
    expect(link.as, title).toBe('presentation');
    for (const step of ['0', ...Object.keys(link.notes ?? {})]) {
      expect(link.notes?.[step], title).toMatch(/[.?…]$/);
      expect(Number(step), title).toBeLessThanOrEqual(link.steps.length);
    }
  }
});

it('the lecture ends as its notes say, and fills 45 minutes', async () => {
  const ends = await Promise.all(
    lecture.map(async ({ link }) => {
      const { world } = (await Session.open(link)).tip.value;
      const inside = Object.entries(world.nodes).filter(([, { tags }]) =>
        tags.includes('critical'),
      );
      return inside.map(([id]) => id).join();
    }),
  );
  expect(ends).toEqual(['c', 'b', 'b', 'c', '', '', 'c', '', '', '']);
  expect(lecture.reduce((sum, { minutes }) => sum + minutes, 0)).toBe(45);
});

it('the page of teaching lists the stories, the stations and the labs', () => {
  const stations = [...page.matchAll(/^\| (.+) \| (\d+) \| .+\? \|$/gm)];
  expect(stations.map(([, title, minutes]) => [title, Number(minutes)])).toEqual(
    lecture.map(({ title, minutes }) => [title, minutes]),
  );
  const rows = [...page.matchAll(/^\| (.+) \| (\d+) \|$/gm)].map(([, title, minutes]) => ({
    title,
    minutes: Number(minutes),
  }));
  expect(rows).toEqual(labs.map(({ title, minutes }) => ({ title, minutes })));
  for (const { title } of stories) expect(page).toContain(`*${title}*`);
});
