/** The documentation site, from disk, in a narrow window. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { proof } from '@conclave/tools/sample';
import { expect } from 'vitest';
import { closeBrowser, describeInBrowser, openPage } from './browser.contract.js';

closeBrowser();

const build = fileURLToPath(new URL('../../../../tools/site/build.mjs', import.meta.url));

/** How far a page is wider than its window, and its icons that lead to no drawing. */
const findWide = () => ({
  beyond: document.documentElement.scrollWidth - window.innerWidth,
  empty: [...document.querySelectorAll('use')]
    .map((use) => use.getAttribute('href') ?? '')
    .filter((href) => !href.startsWith('#') || !document.querySelector(href)),
});

/** TypeDoc's pages ask for them before they take their own: `localIcons` in tools/site/api.mjs. */
const isIcon = (complaint: string): boolean => complaint.includes('/api/assets/icons.svg#');

const tests = () => {
  proof('fits into 390 pixels, shows its icons, and says nothing in the console', async () => {
    const out = mkdtempSync(join(tmpdir(), 'conclave-site-'));
    try {
      const { VITEST: _, ...env } = process.env; // with it, tools load sources
      const built = spawnSync(process.execPath, [build, '--out', out], { env, encoding: 'utf8' });
      expect(built.stderr + built.stdout).toContain(' pages in ');
      const names = readdirSync(out, { recursive: true, encoding: 'utf8' });
      const pages = names.filter((name) => name.endsWith('.html') && name !== 'studio.html');
      expect(pages.length).toBeGreaterThan(300);
      const { page, complaints } = await openPage('', {
        file: join(out, 'index.html'),
        width: 390,
      });
      const found: string[] = [];
      for (const name of pages) {
        await page.goto(`file://${join(out, name)}`, { waitUntil: 'domcontentloaded' });
        const { beyond, empty } = await page.evaluate(findWide);
        if (beyond > 0) found.push(`${name}: ${beyond} pixels too wide`);
        if (empty.length > 0) found.push(`${name}: no icon ${empty.join()}`);
      }
      expect(found).toEqual([]);
      expect(complaints.filter((complaint) => !isIcon(complaint))).toEqual([]);
    } finally {
      rmSync(out, { recursive: true });
    }
  });
};

describeInBrowser('the site', tests, false);
