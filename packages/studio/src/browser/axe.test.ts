/** The main views are judged by axe-core. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { proof } from '@conclave/tools/sample';
import type axe from 'axe-core';
import { expect } from 'vitest';
import { closeBrowser, describeInBrowser, openPage } from './browser.contract.js';

closeBrowser();

const script = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const panels = 'network,chart,space-time,trace,actions,properties,tried';

const views = {
  'the first page': '',
  'a world': 'raymond?topology=tree:2:5&losses=1&steps=1.0.2.0.0.0',
  'a world with a violation': 'bully?topology=complete:3&time=%22untimed%22&steps=0.4.1',
  'a check': 'A3?topology=complete:2&losses=1&view=check',
  paths: 'A3?topology=complete:2&view=paths',
  'a specification': 'raymond?view=specification',
  'the lecture': 'lecture',
  'the playground': 'play',
  'the first page, in German': '?lang=de',
  'a world, in German': 'raymond?topology=tree:2:5&losses=1&steps=1.0.2&lang=de',
  'all panels in another page': `A3?topology=complete:2&as=embed&panels=${panels}&steps=0.0`,
};

const inFirefox = false; // Firefox 153 ends while axe-core looks at a page

const tests = () => {
  proof.each(['light', 'dark'] as const)('finds nothing in any view: %s', async (theme) => {
    for (const [name, hash] of Object.entries(views)) {
      const { page, complaints } = await openPage(hash, { theme });
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
      if (name === 'a check') {
        await page.getByRole('button', { name: 'Check', exact: true }).first().click();
        await page.getByRole('region', { name: 'Coverage' }).waitFor();
      }
      if (name === 'paths') await page.locator('.uses .statechart').waitFor();
      if (name === 'the playground')
        await page
          .getByRole('region', { name: 'Verdicts' })
          .getByRole('heading', { name: 'Holds' })
          .waitFor();
      await page.evaluate(script);
      const found = await page.evaluate(async () => {
        const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`);
      });
      expect(found, name).toEqual([]);
      expect(complaints, name).toEqual([]);
      await page.close();
    }
  });
};

describeInBrowser('axe-core', tests, inFirefox);
