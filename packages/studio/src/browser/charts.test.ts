import { catalogue } from '@conclave/tools/catalogue';
import { proof } from '@conclave/tools/sample';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { closeBrowser, describeInBrowser, fontSizes, sharedPage } from './browser.contract.js';

closeBrowser();

const show = sharedPage();

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
  proof(
    'are shown whole by 0, and each text fits into its box, also while it is taken',
    async () => {
      for (const name of protocols) {
        const { page, complaints } = await show(name);
        const chart = page.locator('.statechart');
        await chart.waitFor();
        await page.locator('.chart-frame').press('0');
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
    },
  );

  proof('say the rule of a transition where the pointer rests', async () => {
    const { page } = await show('A3?topology=complete:2');
    const titles = await page.locator('.statechart [data-keys] title').allTextContents();
    expect(titles.join('\n')).toContain('RA3: A node defers a request if it is held');
  });
});

describeInBrowser('the statechart of the chosen node', () => {
  for (const protocol of ['raymond', 'bully', 'gallager-humblet-spira', 'membership'])
    proof(`opens at a size that is read, at its state: ${protocol}`, async () => {
      const { page, complaints } = await show(protocol);
      await page.locator('.chart-drawing .state.active').first().waitFor();
      const isSeen = await page.locator('.chart-frame').evaluate((frame) => {
        const states = [...frame.querySelectorAll('.state.active:not(.outer)')];
        const [outer, inner] = [frame, states.at(-1)].map((one) => one?.getBoundingClientRect());
        return inner && outer && inner.left >= outer.left && inner.bottom <= outer.bottom;
      });
      const sizes = await fontSizes(page.locator('.chart-frame tspan'));
      const ordered = sizes.toSorted((one, other) => one - other);
      expect(ordered[Math.floor(sizes.length / 2)]).toBeGreaterThanOrEqual(10);
      expect(isSeen).toBe(true);
      expect(complaints).toEqual([]);
    });

  proof(
    'is moved by wheel, keys, drag and fit, and stays as it was put when a step is taken',
    async () => {
      const { page, complaints } = await show('raymond');
      const drawing = page.locator('.chart-drawing');
      const frame = page.locator('.chart-frame');
      await drawing.locator('.state.active').first().waitFor();
      const box = async () =>
        (await drawing.locator('svg').boundingBox()) ?? { x: 0, y: 0, width: 0 };
      const place = (await frame.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      const widthAfter = async (act: () => Promise<void>) => {
        const before = await box();
        await act();
        await expect.poll(async () => (await box()).width).not.toBe(before.width);
        return (await box()).width / before.width;
      };
      await page.mouse.move(place.x + 200, place.y + 100);
      expect(await widthAfter(() => page.mouse.wheel(0, -200))).toBeGreaterThan(1.2);
      await frame.focus();
      expect(await widthAfter(() => page.keyboard.press('-'))).toBeCloseTo(0.8, 1);
      const before = await box();
      await page.mouse.down();
      await page.mouse.move(place.x + 260, place.y + 130, { steps: 4 });
      await page.mouse.up();
      await expect.poll(async () => Math.round((await box()).x - before.x)).toBe(60);
      const { width } = await box();
      await page.keyboard.press('1');
      await drawing.locator('.taken').first().waitFor();
      expect((await box()).width).toBeCloseTo(width, 1);
      await widthAfter(() => frame.press('0'));
      const whole = await box();
      expect(whole.x).toBeGreaterThanOrEqual(place.x);
      expect(whole.x + whole.width).toBeLessThanOrEqual(place.x + place.width);
      await page.keyboard.press('2');
      expect((await box()).width).toBeCloseTo(whole.width, 1);
      expect(complaints).toEqual([]);
    },
  );
});

// Firefox takes no touches from Playwright
describeInBrowser(
  'the statechart on a screen that is touched',
  () => {
    proof('is zoomed by two fingers', async () => {
      const { page, complaints } = await show('raymond');
      const drawing = page.locator('.chart-drawing svg');
      await drawing.waitFor();
      const { x, y } = (await page.locator('.chart-frame').boundingBox()) ?? { x: 0, y: 0 };
      const { width } = (await drawing.boundingBox()) ?? { width: 0 };
      const touch = await page.context().newCDPSession(page);
      const fingers = (type: 'touchStart' | 'touchMove', apart: number) =>
        touch.send('Input.dispatchTouchEvent', {
          type,
          touchPoints: [-apart, apart].map((by) => ({ x: x + 200 + by, y: y + 120 })),
        });
      await fingers('touchStart', 30);
      for (const apart of [40, 50, 60]) await fingers('touchMove', apart);
      await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
      await expect
        .poll(async () => ((await drawing.boundingBox())?.width ?? 0) / width)
        .toBeGreaterThan(1.5);
      expect(complaints).toEqual([]);
    });
  },
  false,
);
