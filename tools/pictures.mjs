/**
 * Draws the pictures of the studio in the README, docs/studio.png and docs/studio-dark.png. Needs
 * Chromium, and the page that `npm run build` writes.
 *
 *     node tools/pictures.mjs            Raymond's algorithm on a tree of five: a request is lost, and two nodes wait forever
 *     node tools/pictures.mjs LINK       another world: the part of a link behind #
 */
import { fileURLToPath } from 'node:url';
import { pageUrl } from '@conclave/studio/internal/page';
import { launchChromium } from '../packages/studio/dist/browser/chromium.js';

const usual =
  'raymond?topology=tree:2:5&losses=1&initiators=c,d,e&steps=1.2.1.1.1.0.4.2.1.4.0.0&node=d';
const [hash = usual] = process.argv.slice(2);

const browser = await launchChromium();
for (const [theme, file] of [
  ['light', 'studio.png'],
  ['dark', 'studio-dark.png'],
]) {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  await page.goto(`${pageUrl.href}#${hash}`);
  await page.locator('.chart-drawing .state.active').first().waitFor();
  await page.screenshot({ path: fileURLToPath(new URL(`../docs/${file}`, import.meta.url)) });
}
await browser.close();
