import { readFileSync } from 'node:fs';
import { proof } from '@conclave/tools/sample';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { closeBrowser, describeInBrowser, openPage } from './browser.contract.js';

closeBrowser();

const template = readFileSync(
  new URL('../../../cli/src/template/ticket-office.ts', import.meta.url),
  'utf8',
);
/** The office hands out the same number twice. */
const broken = template.replace("actions: ['count', 'answer']", "actions: 'answer'");

const findings = (page: Page) => page.getByRole('region', { name: 'Verdicts' });

/** Replaces what is in the editor. */
async function write(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

describeInBrowser('the playground', () => {
  it('checks while one writes, and says what is wrong', async () => {
    const { page, complaints } = await openPage('play');
    await write(page, broken);
    const row = findings(page).getByRole('listitem').filter({ hasText: 'violated' }).first();
    await row.waitFor();
    expect(await row.textContent()).toContain('no two customers hold the same number');
    expect(await row.locator('pre').textContent()).toContain('ticket');
    expect(complaints).toEqual([]);
  });

  proof('keeps the source in the address, and shows a counterexample in the studio', async () => {
    const { page, complaints, picture } = await openPage('play');
    await write(page, broken);
    const row = findings(page).getByRole('listitem').filter({ hasText: 'violated' }).first();
    await row.waitFor();
    await picture('playground');
    const again = await openPage(new URL(page.url()).hash.slice(1));
    await findings(again.page).getByText('Violated', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('button', { name: 'I trust it' }).click();
    await page.getByRole('group', { name: /^Network/ }).waitFor();
    await page.keyboard.press('End');
    await expect.poll(() => page.locator('.properties').textContent()).toContain('false');
    await page.goBack();
    await findings(page).getByText('Violated', { exact: true }).waitFor();
    expect([...complaints, ...again.complaints]).toEqual([]);
  });

  proof('refuses the network, marks the line, and keeps what is cut off', async () => {
    const { page, complaints } = await openPage('play');
    const alert = findings(page).getByRole('alert');
    // what drives Firefox puts a line before what it pastes
    await write(page, "// nothing yet\nfetch('https://example.org');\n");
    await alert.getByText(/Line [23]: 'fetch' is refused/).waitFor();
    await write(page, 'const = 1;');
    await alert.getByText(/Line [12]: /).waitFor();
    await write(page, template.slice(0, -2));
    await alert.getByText(/^Line \d+: /).waitFor();
    expect(complaints).toEqual([]);
  });

  proof('ends a module that does not end', async () => {
    const { page, complaints } = await openPage('play');
    await write(page, 'for (;;);');
    await findings(page)
      .getByText('Stopped: the module has not ended')
      .waitFor({ timeout: 60_000 });
    await write(page, template);
    await findings(page).getByText('Holds', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });
});
