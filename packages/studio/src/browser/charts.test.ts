import { catalogue } from '@conclave/tools/catalogue';
import { proof, sampled } from '@conclave/tools/sample';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { closeBrowser, describeInBrowser, openPage } from './browser.contract.js';

closeBrowser();

/** The texts of the chart that are wider than the box that they are in, in this page's font. */
const tooWide = (page: Page) =>
  page.locator('.statechart').evaluate((chart) =>
    [...chart.querySelectorAll('.state')].flatMap((state) => {
      const frame = state.querySelector('.frame')?.getBoundingClientRect();
      const texts = [...state.querySelectorAll('text')];
      return texts.flatMap((text) =>
        frame && text.getBoundingClientRect().right > frame.right + 0.5 ? text.textContent : [],
      );
    }),
  );

const protocols = catalogue.map(({ name }) => name);

describeInBrowser('the statecharts', () => {
  it('are shown whole at first, and each text fits into its box, also while it is taken', async () => {
    for (const name of sampled(protocols, 1)) {
      const { page, complaints } = await openPage(name);
      const chart = page.locator('.statechart');
      await chart.waitFor();
      const isWhole = await chart.evaluate((drawing) => {
        const [inner, outer] = [drawing, drawing.closest('.chart-frame')].map((part) =>
          part?.getBoundingClientRect(),
        );
        return inner && outer && inner.width <= outer.width && inner.height <= outer.height;
      });
      expect(isWhole, name).toBe(true);
      expect(await tooWide(page), name).toEqual([]);
      for (const key of ['1', '1', '1']) await page.keyboard.press(key);
      await expect.poll(() => page.url()).toContain('steps=');
      expect(await tooWide(page), name).toEqual([]);
      expect(complaints).toEqual([]);
    }
  });

  proof('say the rule of a transition where the pointer rests', async () => {
    const { page } = await openPage('A3?topology=complete:2');
    const titles = await page.locator('.statechart [data-keys] title').allTextContents();
    expect(titles.join('\n')).toContain('RA3: A node defers a request if it is held');
  });
});
