import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { labs } from '../../course/exercises.js';
import { parseLink } from '../../link/link.js';
import { Session } from '../../model/session.js';
import { stories } from './stories.js';

const page = readFileSync(new URL('../../../../../docs/teaching.md', import.meta.url), 'utf8');

it('each link of the lecture opens, with all its steps, as a presentation', async () => {
  const links = page.split('\n').filter((line) => line.startsWith('#') && line.includes('?'));
  expect(links.length).toBe(6);
  for (const text of links) {
    const link = parseLink(text);
    if (!link) throw new Error(`no link: ${text}`);
    const session = await Session.open(link);
    expect(session.tip.value.depth).toBe(link.steps.length);
    expect(link.as).toBe('presentation');
    for (const step of Object.keys(link.notes ?? {}))
      expect(Number(step)).toBeLessThanOrEqual(link.steps.length);
  }
});

it('the page of teaching lists the stories and the labs', () => {
  const rows = [...page.matchAll(/^\| (.+) \| (\d+) \|$/gm)].map(([, title, minutes]) => ({
    title,
    minutes: Number(minutes),
  }));
  expect(rows).toEqual(labs.map(({ title, minutes }) => ({ title, minutes })));
  for (const { title } of stories) expect(page).toContain(`*${title}*`);
});
