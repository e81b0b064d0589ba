import { expect, it } from 'vitest';
import { openInBrowser } from './browser.js';

const exits = (code: number) => [
  process.execPath,
  '-e',
  `process.exit(process.argv.at(-1) === 'file:///page.html' ? ${code} : 9)`,
];

it.each([
  ['opens where its opener does', exits(0), true],
  ['does not where its opener fails', exits(3), false],
  ['does not where there is no opener', ['/no/such/opener'], false],
])('%s', async (_, command, opened) => {
  expect(await openInBrowser('file:///page.html', command, 60_000)).toBe(opened);
});
