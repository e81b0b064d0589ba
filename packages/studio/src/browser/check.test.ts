/** Checks in the page: their verdicts, counterexamples and state graphs. */
import { proof } from '@conclave/tools/sample';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { parseLink } from '../link/link.js';
import {
  closeBrowser,
  describeInBrowser,
  openPage,
  sharedPage,
  textsOf,
} from './browser.contract.js';

closeBrowser();

const linkOf = (page: Page) => parseLink(new URL(page.url()).hash);
const stepsIn = (page: Page) => linkOf(page)?.steps ?? [];

/** A check that takes minutes: no machine is at its end when a test presses Stop. */
const large = 'raymond?topology=tree:2:7&losses=1&commands=2&view=check';

describeInBrowser('a counterexample', () => {
  proof('says of what, and from which step on, also in its link, and leads back', async () => {
    const show = sharedPage();
    const { page, complaints } = await show(
      'maekawa?topology=complete:3&options=%7B"naive":true%7D&view=check',
    );
    await page.getByRole('button', { name: 'Check', exact: true }).first().click();
    const verdicts = page.getByRole('region', { name: 'Verdicts' });
    const violated = verdicts.getByRole('listitem').filter({ hasText: 'quiescent' });
    await violated.getByRole('button', { name: 'Show', exact: true }).click();
    const banner = page.getByRole('region', { name: 'Counterexample' });
    const said = 'Counterexample: no node waits in a quiescent state It is false since step 6.';
    await expect.poll(() => banner.textContent()).toContain(said);
    await expect
      .poll(() => linkOf(page)?.counterexample)
      .toBe('no node waits in a quiescent state');
    const link = new URL(page.url()).hash.slice(1);
    await banner.getByRole('button', { name: 'Back to the verdicts' }).click();
    await violated.waitFor(); // they are still there
    await page.goBack();
    await banner.waitFor();
    await page.keyboard.press('3'); // another run
    await expect.poll(() => banner.count()).toBe(0);
    await expect.poll(() => linkOf(page)?.counterexample).toBe(undefined);
    await show(link);
    await page.getByText(said).waitFor();
    await page.getByRole('button', { name: 'To step 6' }).click();
    await expect.poll(() => page.locator('.properties').textContent()).toContain('false');
    expect(complaints).toEqual([]);
  });
});

describeInBrowser('a check', () => {
  proof('checks A3, and opens a counterexample', async () => {
    const { page, complaints, picture } = await openPage(
      'A3?topology=complete:3&losses=1&view=check',
    );
    await page.getByRole('button', { name: 'Check', exact: true }).first().click();
    const verdicts = page.getByRole('region', { name: 'Verdicts' });
    const violated = verdicts.getByRole('listitem').filter({ hasText: 'violated' });
    await verdicts.getByRole('heading', { name: 'Violated' }).waitFor();
    expect(await verdicts.textContent()).toContain('at most one node is in the critical section');
    await picture('checked');
    await violated.first().getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('group', { name: /^Network/ }).waitFor();
    expect(stepsIn(page).length).toBeGreaterThan(2);
    expect(linkOf(page)?.at).toBe(0);
    await page.keyboard.press('End');
    await expect.poll(() => page.locator('.properties').textContent()).toContain('false');
    const blamed = await page.locator('.node:has(.blamed)').getAttribute('data-node');
    expect(linkOf(page)?.node).toBe(blamed);
    await picture('counterexample');
    expect(complaints).toEqual([]);
  });

  proof('keeps what a check knew when it was stopped, and judges those worlds', async () => {
    const { page, complaints, picture } = await openPage(large);
    const verdicts = page.getByRole('region', { name: 'Verdicts' });
    await page.getByRole('button', { name: 'Check', exact: true }).first().click();
    await verdicts.getByText('reached', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).first().click();
    const known = await textsOf(verdicts.getByRole('listitem'));
    expect(known.join()).toContain('a node is in the critical section');
    expect(await verdicts.textContent()).toContain('Stopped after');
    await picture('stopped');
    await verdicts.getByRole('button', { name: /^Judge the first/ }).click();
    await page.getByRole('region', { name: 'Coverage' }).waitFor();
    const judged = await textsOf(verdicts.getByRole('listitem'));
    for (const finding of known) expect(judged.join()).toContain(finding);
    expect(complaints).toEqual([]);
  });

  proof('goes on with a check where it was stopped', async () => {
    const { page, complaints, picture } = await openPage(large);
    const verdicts = page.getByRole('region', { name: 'Verdicts' });
    const found = async () => {
      const [worlds = ''] = /[\d,]+(?= worlds)/.exec((await verdicts.textContent()) ?? '') ?? [];
      return Number(worlds.replaceAll(',', ''));
    };
    await page.getByRole('button', { name: 'Check', exact: true }).first().click();
    await expect.poll(found, { timeout: 60_000 }).toBeGreaterThan(1);
    await page.getByRole('button', { name: 'Stop', exact: true }).first().click();
    const goOn = verdicts.getByRole('button', { name: 'Go on' });
    await goOn.waitFor();
    const before = await found();
    await picture('held');
    await goOn.click();
    const counts = [await found()];
    while ((counts.at(-1) ?? 0) <= before) counts.push(await found());
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(before); // never from the beginning
    await page.getByRole('button', { name: 'Stop', exact: true }).first().click();
    expect(await verdicts.textContent()).toContain('Stopped after');
    expect(complaints).toEqual([]);
  });

  proof('shows the state graph of a small system, and goes where one clicks', async () => {
    const { page, complaints, picture } = await openPage('A3?topology=complete:2&view=check');
    await page.getByRole('tab', { name: 'State graph' }).click();
    const graph = page.getByRole('application');
    await graph.waitFor();
    await graph.focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'Enter'])
      await page.keyboard.press(key);
    await expect.poll(() => stepsIn(page).length).toBe(3);
    await picture('state-graph');
    await page.getByRole('button', { name: 'DE', exact: true }).click();
    await expect.poll(() => page.locator('.state-graph').textContent()).toContain(' zustellen');
    await page.getByRole('button', { name: 'EN', exact: true }).click();
    await expect.poll(() => page.locator('.state-graph').textContent()).not.toContain(' zustellen');
    await page.getByRole('button', { name: 'See it' }).click();
    await page.getByRole('group', { name: /^Network/ }).waitFor();
    expect(complaints).toEqual([]);
  });
});
