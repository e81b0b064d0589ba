import { readFileSync } from 'node:fs';
import { catalogue } from '@conclave/algorithms';
import { proof } from '@conclave/tools/sample';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { parseLink } from '../link/link.js';
import {
  closeBrowser,
  describeInBrowser,
  openPage,
  sharedPage,
  textsOf,
} from './browser.contract.js';

closeBrowser();

const show = sharedPage();

const options = (page: Page) =>
  page.getByRole('listbox', { name: 'What can happen' }).getByRole('option');
const badge = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Properties' }).getByRole('listitem').filter({ hasText: name });
const linkOf = (page: Page) => parseLink(new URL(page.url()).hash);
const stepsIn = (page: Page) => linkOf(page)?.steps ?? [];

/** Takes one of the actions that the page offers, by its words. */
async function take(page: Page, words: string): Promise<void> {
  const before = page.url();
  await options(page).filter({ hasText: words }).first().click();
  await page.waitForURL((url) => url.href !== before);
}

describeInBrowser('a screen reader', () => {
  it('hears each step: what happens, what it changes and sends, and how far the run is', async () => {
    const { page, complaints } = await show('A3?topology=complete:2');
    await page.locator('.network .node').first().waitFor();
    await page.keyboard.press('2');
    const news = page.locator('.world > [aria-live=polite]');
    const said = 'b acquires; b: released to wanted; request(1) to a; step 1 of 1';
    await expect.poll(() => news.textContent()).toBe(said);
    expect(complaints).toEqual([]);
  });
});

describeInBrowser('the page, opened from the disk', () => {
  it('elects a leader on a ring by hand', async () => {
    const { page, complaints, picture } = await show('B3?topology=ring:3');
    const reached = badge(page, 'a node is the leader');
    await options(page).first().click();
    for (let step = 1; step < 40; step++) await page.keyboard.press('1'); // the first action, if any
    await expect.poll(() => options(page).count()).toBe(0);
    expect(await page.getByRole('button', { name: /: leader/ }).count()).toBe(1);
    expect(await reached.textContent()).toContain('true');
    await picture('elected');
    // by which rule each step was taken: its number in each line, the sentence of the last one
    const trace = page.getByRole('region', { name: 'Trace' });
    const lines = await textsOf(trace.locator('li:has(button)'));
    expect(lines.filter((line) => !/^LCR\d /.test(line))).toEqual([]);
    await expect
      .poll(() => trace.getByRole('list', { name: 'Rules of this step' }).textContent())
      .toMatch(/^LCR\d .+\.$/);
    expect(complaints).toEqual([]);
  });

  proof('violates a property by a lost message, goes back, and takes another way', async () => {
    const { page, complaints, picture } = await openPage('raymond?topology=chain:2');
    await take(page, 'b acquires');
    await page.getByRole('button', { name: /^request/ }).click();
    await page.getByRole('menuitem', { name: /^Allow a loss/ }).click(); // and lose it
    const progress = badge(page, 'every node that wants to enter eventually enters');
    await expect.poll(() => stepsIn(page).length).toBe(2);
    expect(linkOf(page)?.setup.budget.losses).toBe(1);
    const deadlock = badge(page, 'no node waits in a quiescent state');
    await picture('violated');
    // The other node may still ask for the token: what is violated is decided when nothing more can
    // happen.
    while ((await options(page).count()) > 0) {
      const before = page.url();
      await options(page).first().click();
      await page.waitForURL((url) => url.href !== before);
    }
    expect(await deadlock.textContent()).toContain('false');
    expect(await progress.textContent()).toContain('false');
    const lost = stepsIn(page);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => linkOf(page)?.at).toBe(1);
    await take(page, 'deliver request');
    expect(stepsIn(page).length).toBe(2);
    expect(stepsIn(page)).not.toEqual(lost.slice(0, 2));
    expect(await deadlock.textContent()).toContain('true');
    expect(complaints).toEqual([]);
  });

  proof('shows the same world again from its link', async () => {
    const { page, complaints } = await openPage('A3?topology=complete:3&losses=1');
    for (const words of [
      'a acquires',
      'c acquires',
      'deliver request(1) from a to b',
      'deliver reply from b to a',
    ])
      await take(page, words);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => linkOf(page)?.at).toBe(3);
    const drawn = (of: Page) =>
      textsOf(of.getByRole('group', { name: /^Network/ }).getByRole('button'));
    const shown = await drawn(page);
    expect(shown.length).toBe(7); // three nodes and four messages
    const again = await openPage(new URL(page.url()).hash.slice(1));
    await expect.poll(() => drawn(again.page)).toEqual(shown);
    expect(again.page.url().split('#')[1]).toBe(page.url().split('#')[1]);
    await page.reload();
    await expect.poll(() => drawn(page)).toEqual(shown);
    expect([...complaints, ...again.complaints]).toEqual([]);
  });

  it('says what is wrong with a link', async () => {
    const { page, complaints } = await show('raymnd?steps=1');
    const alert = page.getByRole('alert');
    expect(await alert.textContent()).toContain("There is no algorithm 'raymnd'");
    expect(await alert.textContent()).toContain("Did you mean 'raymond'?");
    expect(complaints).toEqual([]);
    // a step that does not fit: those before it are shown, and counted as in the page
    const link = page.getByRole('textbox', { name: 'Paste a link' });
    await link.fill('https://example.org/studio.html#A3?topology=complete:2&steps=0.77.0');
    await link.press('Enter');
    await page.getByRole('group', { name: /^Network/ }).waitFor();
    expect(await alert.textContent()).toContain('Step 2 is action 78, and only');
    await expect.poll(() => stepsIn(page)).toEqual([0]);
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
  });

  it('colours the chart by what paths take, and plays a path for a transition', async () => {
    const { page, complaints } = await show('raymond?topology=tree:2:3&view=paths');
    const chart = page.locator('.uses .statechart');
    await chart.locator('.untaken').first().waitFor();
    const uses = await chart
      .locator('.edge[data-keys]')
      .evaluateAll((edges) =>
        edges.map((edge) => Number((edge as SVGElement).style.getPropertyValue('--use'))),
      );
    expect([Math.min(...uses), Math.max(...uses)]).toEqual([0, 1]);
    expect(uses.some((use) => use > 0 && use < 1)).toBe(true);
    const transitions = page.getByRole('region', { name: 'Transitions' });
    const rows = await textsOf(transitions.getByRole('button'));
    expect(rows.join()).toMatch(/asked: token \[oneWaits\].*asked: token \[else\]/);
    const queues = chart.locator('.row[data-keys="held request 0"]');
    expect(await queues.locator('title').textContent()).toMatch(/^held: request: \d+ paths$/);
    await queues.click();
    await transitions.locator('[aria-pressed=true]').getByText('held: request').waitFor();
    await page.getByRole('button', { name: 'Play the shortest path that takes it' }).click();
    await page.getByRole('group', { name: /^Network/ }).waitFor();
    const steps = page.getByRole('region', { name: 'Trace' }).locator('.lines button');
    expect((await textsOf(steps)).join('\n')).toMatch(/request from . +held/);
    expect(complaints).toEqual([]);
  });

  it('draws each path small: a point for each step', async () => {
    const { page } = await show('A3?topology=complete:2&view=paths');
    const list = page.getByRole('region', { name: 'Paths', exact: true });
    const row = list.getByRole('listitem').first();
    await row.waitFor();
    const drawn = await row.locator('svg path').all(); // one by one: see textsOf
    const points = (await Promise.all(drawn.map((path) => path.getAttribute('d')))).join('');
    const steps = Number.parseInt((await row.locator('.numbers').nth(1).textContent()) ?? '', 10);
    expect(points.match(/h0/g)).toHaveLength(steps);
  });

  it('shows where a message was lost, in the words of a loss, also without motion', async () => {
    const { page, complaints } = await show('A3?topology=complete:2&losses=1&steps=0');
    await page.getByRole('button', { name: /^request/ }).click();
    await page.getByRole('menuitem', { name: 'Lose', exact: true }).click();
    const lost = page.locator('.network .token.lost');
    await lost.waitFor();
    expect(await lost.textContent()).toContain('request');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => lost.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('refuses a network that is too large before it makes it', async () => {
    const { page } = await show('raymond?topology=tree:2:1000000');
    await page.getByRole('alert').getByText('tree:2:1000000 is too large').waitFor();
  });

  proof('lists paths, and plays one', async () => {
    const { page, complaints, picture } = await openPage('A3?topology=complete:2&view=paths');
    const list = page.getByRole('region', { name: 'Paths', exact: true });
    await list.getByRole('listitem').first().waitFor();
    await picture('paths');
    await list.getByRole('listitem').last().getByRole('button').click();
    await page.getByRole('group', { name: /^Network/ }).waitFor();
    await expect.poll(() => stepsIn(page).length).toBeGreaterThan(2);
    expect(linkOf(page)?.at).toBe(0);
    expect(complaints).toEqual([]);
  });

  proof('plays a simulation, and goes on by hand', async () => {
    const { page, complaints, picture } = await openPage('A3?topology=complete:3');
    await page.locator('button[title="Simulate a run, and play it"]').click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /play|simulate|run/i })
      .last()
      .click();
    await expect.poll(() => linkOf(page)?.times?.length ?? 0).toBeGreaterThan(5);
    await page.keyboard.press('p');
    await page.keyboard.press('Home');
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowRight');
    await expect.poll(() => linkOf(page)?.at).toBe(3);
    const simulated = stepsIn(page);
    const others = (await options(page).count()) - 1;
    expect(others).toBeGreaterThan(0);
    await options(page).first().click();
    await expect.poll(() => linkOf(page)?.at ?? stepsIn(page).length).toBe(4);
    if (stepsIn(page).length === simulated.length) {
      await page.keyboard.press('ArrowLeft'); // that was the way of the simulation
      await expect.poll(() => linkOf(page)?.at).toBe(3);
      await options(page).nth(1).click();
    }
    await expect.poll(() => stepsIn(page).length).toBe(4);
    expect(stepsIn(page).slice(0, 3)).toEqual(simulated.slice(0, 3));
    await picture('played');
    expect(complaints).toEqual([]);
  });

  it('has a moving run on its first page, and a network and a chart on each card', async () => {
    const { page, complaints } = await show('');
    const scale = await page
      .getByRole('img', { name: 'Two leaders' })
      .evaluate((img: HTMLImageElement) => img.width / img.naturalWidth);
    expect(scale).toBeGreaterThanOrEqual(1); // smaller, its texts could not be read
    const cards = page.locator('.catalogue > section li');
    const drawn = await cards.evaluateAll((all) =>
      all.map((card) => card.querySelectorAll('.drawings path[d*="M"]').length),
    );
    expect(drawn).toHaveLength(catalogue.length);
    expect(drawn.filter((count) => count < 4)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  proof('has every protocol in its catalogue, and each opens', async () => {
    const { page, complaints, picture } = await openPage('');
    const runs = page.getByRole('link', { name: /^Run / });
    expect(await runs.count()).toBe(catalogue.length);
    await picture('catalogue');
    const hashes = await page
      .locator('a[aria-label^="Run "]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    for (const hash of hashes) {
      await page.evaluate((to) => {
        location.hash = to;
      }, hash);
      await page.getByRole('group', { name: /^Network/ }).waitFor();
      await page.locator('.chart-drawing .state.active').first().waitFor();
      expect(await options(page).count()).toBeGreaterThan(0);
    }
    expect(complaints).toEqual([]);
  });

  proof('has a specification page with its chart, its proofs and its mutants', async () => {
    const { page, complaints, picture } = await openPage('raymond?view=specification');
    const text = await page.getByRole('main').textContent();
    for (const part of ['RY1', 'K. Raymond', '9 trees of 5 nodes']) expect(text).toContain(part);
    expect(await page.getByRole('heading', { name: 'Verified', exact: true }).count()).toBe(1);
    expect(
      await page.locator('.specification-chart .chart-drawing .state').count(),
    ).toBeGreaterThan(4);
    const summary = page.locator('summary', { hasText: /^Mutants$/ });
    const mutants = await page.locator('details', { has: summary }).textContent();
    expect(mutants).toMatch(/by default: \d+ of \d+, \d+ equivalent/);
    await picture('specification');
    expect(complaints).toEqual([]);
  });

  proof.each(['light', 'dark'] as const)(
    'fits a screen and a phone held sideways: %s',
    async (theme) => {
      const { page, complaints, picture } = await openPage(
        'raymond?topology=tree:2:5&losses=1&steps=1.0.2.0.0.0',
        { theme },
      );
      for (const view of ['World', 'Check', 'Paths', 'Specification']) {
        await page.getByRole('tab', { name: view }).click();
        for (const [size, width, height] of [
          ['screen', 1280, 800],
          ['phone', 844, 390],
        ] as const) {
          await page.setViewportSize({ width, height });
          const overflow = await page.evaluate(
            () => document.documentElement.scrollWidth - innerWidth,
          );
          // nothing is beyond the right edge
          expect(`${view} ${size}: ${overflow}`).toBe(`${view} ${size}: 0`);
          await picture(`${view.toLowerCase()}-${size}-${theme}`);
        }
      }
      expect(complaints).toEqual([]);
    },
  );
});

const saves = () => {
  it('a diagram that moves is saved beside the one that rests', async () => {
    const { page, complaints } = await show('raymond?topology=chain:3&steps=0.1');
    const saving = page.waitForEvent('download');
    await page.locator('.space-time-view').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Moving picture' }).click();
    expect((await saving).suggestedFilename()).toBe('raymond.animated.svg');
    expect(complaints).toEqual([]);
  });

  it('paths are saved as the JSON of the command, and as a test for vitest', async () => {
    const { page, complaints } = await show('A3?topology=complete:2&view=paths');
    const saved = async (label: string) => {
      const saving = page.waitForEvent('download');
      await page
        .getByRole('region', { name: 'Paths' })
        .getByRole('button', { name: 'Save' })
        .click();
      await page.getByRole('button', { name: label, exact: true }).click();
      return readFileSync(await (await saving).path(), 'utf8');
    };
    expect(JSON.parse(await saved('JSON'))).toMatchObject({ kind: 'shortest', complete: true });
    expect(await saved('vitest')).toContain(
      "protocolOf('ricart-agrawala'), topology('complete:2')",
    );
    expect(complaints).toEqual([]);
  });
};

const inFirefox = false; // what drives Firefox does not tell of downloads

describeInBrowser('files of the page', saves, inFirefox);
