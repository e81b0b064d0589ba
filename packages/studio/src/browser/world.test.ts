/** What a person meets in a world, at sizes from a phone to a projector. */
import { catalogue } from '@conclave/tools/catalogue';
import { proof } from '@conclave/tools/sample';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { parseLink } from '../link/link.js';
import {
  closeBrowser,
  describeInBrowser,
  fontSizes,
  openPage,
  sharedPage,
} from './browser.contract.js';

closeBrowser();

const linkOf = (page: Page) => parseLink(new URL(page.url()).hash);

/** The texts that are cut by the edge of the network's panel, or of the space-time diagram. */
const cutLabels = (page: Page) =>
  page.locator('.place-network .panel-body, svg.space-time').evaluateAll((frames) =>
    frames.flatMap((frame) => {
      const { left, right } = frame.getBoundingClientRect();
      return [...frame.querySelectorAll('text')].flatMap((text) => {
        const box = text.getBoundingClientRect();
        return box.left < left - 0.5 || box.right > right + 0.5 ? text.textContent : [];
      });
    }),
  );

/** Buttons of the bars that cover each other, or are beyond the edge of the page. */
const coveredButtons = (page: Page) =>
  page.locator('body').evaluate((body) => {
    const buttons = [
      ...body.querySelectorAll('.top a, .top button, .strip button, .panel-head button'),
    ]
      .map((button) => ({ button, box: button.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0);
    const isCovered = (one: DOMRect, other: DOMRect) =>
      Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
      Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
    return buttons
      .filter(
        ({ box }, place) =>
          box.left < -1 ||
          box.right > innerWidth + 1 ||
          buttons.some((other, at) => at !== place && isCovered(box, other.box)),
      )
      .map(({ button }) => button.outerHTML.slice(0, 80));
  });

describeInBrowser('a world', () => {
  proof(
    'cuts no label at the edge of a drawing, in any state of the catalogue’s first steps',
    async () => {
      const show = sharedPage();
      for (const { name } of catalogue) {
        const { page, complaints } = await show(name);
        await page.setViewportSize({ width: 1280, height: 720 });
        await page.getByRole('group', { name: /^Network/ }).waitFor();
        for (const key of ['', '1', '1', '1', '1']) {
          if (key !== '') await page.keyboard.press(key);
          expect(await cutLabels(page), name).toEqual([]);
        }
        expect(complaints, name).toEqual([]);
      }
    },
  );

  proof('is left for an address that is opened while a step waits to be written', async () => {
    const { page, complaints } = await openPage('A3?topology=complete:2&steps=0');
    await page.getByRole('group', { name: /^Network/ }).waitFor();
    await page.evaluate(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        location.hash = '/'; // of which the page is told after all that is due
      };
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '1', bubbles: true }));
      const start = performance.now();
      while (performance.now() < start + 300); // until the step is due
      port2.postMessage('');
    });
    await page.locator('#catalogue-title').waitFor();
    expect(complaints).toEqual([]);
  });

  proof.each([
    ['a projector', 1280, 720],
    ['a window at 200 %', 640, 400],
    ['a phone', 390, 844],
    ['a phone held sideways', 844, 390],
  ] as const)('has buttons that do not cover each other: %s', async (_, width, height) => {
    const { page, complaints } = await openPage('raymond?topology=tree:2:5&losses=1&steps=1.0.2', {
      width,
      height,
    });
    await page.getByRole('group', { name: /^Network/ }).waitFor();
    expect(await coveredButtons(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  proof(
    'is as legible on a screen of 3840 pixels as on one of 1920, with menus at their places',
    async () => {
      const { page, complaints } = await openPage('raymond?topology=chain:3&steps=0', {
        width: 3840,
        height: 2160,
      });
      const node = page.locator('.node').first();
      await node.waitFor();
      const size = async (selector: string) => (await fontSizes(page.locator(selector)))[0];
      for (const text of ['.node text', '.trace .lines button', '.properties .name', '.top h1'])
        expect(await size(text), text).toBeGreaterThanOrEqual(20);
      await node.click();
      const [menu, drawn] = await Promise.all([
        page.getByRole('menu').boundingBox(),
        node.locator('.ring').boundingBox(),
      ]);
      expect(Math.abs((menu?.x ?? 0) - (drawn?.x ?? 0))).toBeLessThan(100);
      expect(Math.abs((menu?.y ?? 0) - (drawn?.y ?? 0))).toBeLessThan(100);
      expect(complaints).toEqual([]);
    },
  );

  proof('plays a usual run at once, and follows who acts in all its views', async () => {
    const { page, complaints } = await openPage('A3?topology=complete:2');
    const properties = page.locator('.properties');
    await properties.getByText('nothing has happened yet').waitFor();
    expect(await properties.locator('.panel-body li.true:not(.idle)').count()).toBe(0);
    await page
      .locator('.strip')
      .getByRole('button', { name: /^Simulate a usual run/ })
      .click();
    await expect.poll(() => linkOf(page)?.at).toBeGreaterThan(1);
    await page.keyboard.press('p');
    const line = await page.locator('.trace [aria-current]').textContent();
    const [actor] = /\b[ab]\b/.exec(line ?? '') ?? []; // after the rule and the time
    const shown = [
      page.locator('.node.chosen').getAttribute('data-node'),
      page.locator('.space-time-view [aria-pressed=true]').textContent(),
      page.locator('.chart .panel-head small').textContent(),
    ];
    expect(await Promise.all(shown)).toEqual([actor, actor, actor]);
    expect(complaints).toEqual([]);
  });

  proof('has a link that opens elsewhere', async () => {
    const { page, complaints } = await openPage('A3?topology=complete:2&steps=0.0');
    await page.getByRole('banner').getByRole('button', { name: 'Copy link' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/^#A3\?topology=complete:2&steps=0\.0/); // not the path of the file
    const { page: first } = await openPage('');
    const field = first.getByRole('textbox', { name: 'Paste a link' });
    await field.fill(copied);
    await field.press('Enter');
    await expect.poll(() => linkOf(first)).toEqual(linkOf(page));
    expect(complaints).toEqual([]);
  });

  proof('lets time be changed in the page, and says so beside it', async () => {
    const { page, complaints } = await openPage('bully?topology=complete:3');
    await page.getByRole('button', { name: 'System', exact: true }).click();
    const form = page.getByRole('dialog');
    await form
      .getByRole('combobox', { name: 'messages and timers' })
      .selectOption({ label: 'at any moment: timers may be early or late' });
    await form.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => linkOf(page)?.setup.budget.time).toBe('untimed');
    expect(await page.locator('.strip').textContent()).toContain('timers fire at any moment');
    // what is wrong in the form is said where one looks, also in a form that scrolls
    await page.getByRole('button', { name: 'System', exact: true }).click();
    await form.getByRole('combobox', { name: 'Network' }).fill('complet:3');
    await form.getByRole('button', { name: 'Apply' }).click();
    const wrong = form.getByRole('alert');
    expect(await wrong.textContent()).toContain('Did you mean complete?');
    const isSeen = await wrong.evaluate((text) => {
      const { top, bottom } = text.getBoundingClientRect();
      return top > 0 && bottom < innerHeight;
    });
    expect(isSeen).toBe(true);
    expect(complaints).toEqual([]);
  });
});

const motion = () => {
  proof('moves messages, but not for those who want no motion', async () => {
    const { page } = await openPage('A3?topology=complete:2&steps=0');
    await page.evaluate(() => {
      const { animate } = Element.prototype;
      Element.prototype.animate = function (...how) {
        document.title = `${document.title}, moved`;
        return animate.apply(this, how);
      };
    });
    for (const [reducedMotion, isMoved] of [
      ['reduce', false],
      ['no-preference', true],
    ] as const) {
      await page.emulateMedia({ reducedMotion });
      for (const [key, at] of [
        ['Home', 0],
        ['ArrowRight', 1],
      ] as const) {
        await page.keyboard.press(key);
        await expect
          .poll(() => {
            const link = linkOf(page);
            return link?.at ?? link?.steps.length;
          })
          .toBe(at);
      }
      expect((await page.title()).includes('moved')).toBe(isMoved);
    }
  });
};

const canEmulate = false; // Firefox cannot be told to reduce motion while it runs
describeInBrowser('the motion of a step', motion, canEmulate);
