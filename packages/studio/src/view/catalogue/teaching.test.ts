import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { labs } from '../../course/exercises.js';
import { linkText, parseLink } from '../../link/link.js';
import { Session } from '../../model/session.js';
import { lecture, stories } from './lecture.js';

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
