/** The texts for coding agents follow from the pages: agents.mjs. */
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { repository, root, textOf } from '../pages.mjs';
import { agentFiles } from './agents.mjs';

const files = Object.entries(agentFiles());

it.each(files)('%s is what the pages say: npm run generate', (path, text) => {
  expect(textOf(path)).toBe(text);
});

it.each(files)('%s: each link leads to a file', (_, text) => {
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link);
  const inside = links.filter((link) => link.startsWith(`${repository}/blob/main/`));
  expect(inside.length).toBeGreaterThan(3);
  const pathOf = (link) => link.slice(`${repository}/blob/main/`.length).replace(/#.*/, '');
  expect(inside.filter((link) => !existsSync(root + pathOf(link)))).toEqual([]);
  expect(links.filter((link) => !/^https:/.test(link))).toEqual([]);
});

it('the skill has at most 200 lines', () => {
  const { 'packages/cli/skill/SKILL.md': skill } = agentFiles();
  expect(skill.split('\n').length).toBeLessThanOrEqual(200);
  for (const part of ['defineProtocol', '— nothing more happens —', '**`vacuous`**'])
    expect(skill).toContain(part);
});
