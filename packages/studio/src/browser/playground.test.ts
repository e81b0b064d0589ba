import { readFileSync } from 'node:fs';
import { proof } from '@conclave/tools/sample';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { codeExercises } from '../course/code-exercises.js';
import { startingFile } from '../course/starting-file.js';
import {
  closeBrowser,
  describeInBrowser,
  openPage,
  pastedBefore,
  sharedPage,
} from './browser.contract.js';

closeBrowser();

const show = sharedPage();

const template = readFileSync(
  new URL('../../../cli/src/template/ticket-office.ts', import.meta.url),
  'utf8',
);
/** The office hands out the same number twice. */
const broken = template.replace("actions: ['count', 'answer']", "actions: 'answer'");

const findings = (page: Page) => page.getByRole('region', { name: 'Verdicts' });

/** The number of a line of a text that was pasted. */
const pasted = (line: number) => line + pastedBefore.length;

/** Replaces what is in the editor. */
async function write(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

describeInBrowser('the playground', () => {
  proof('checks while one writes, and says what is wrong', async () => {
    const { page, complaints } = await show('play');
    await write(page, broken);
    const row = findings(page).getByRole('listitem').filter({ hasText: 'violated' }).first();
    await row.waitFor();
    expect(await row.textContent()).toContain('no two customers hold the same number');
    expect(await row.locator('pre').textContent()).toContain('ticket');
    const wrong = template.replace("actions: 'keep'", "actions: 'keeps'");
    const line = wrong.slice(0, wrong.indexOf("'keeps'")).split('\n').length;
    await write(page, wrong);
    const place = new RegExp(`^Line ${pasted(line)}: `);
    await findings(page).getByRole('alert').getByText(place).waitFor();
    expect(complaints).toEqual([]);
  });

  proof('keeps what is written, and asks before it is replaced', async () => {
    const { page, complaints } = await show('play');
    await write(page, broken);
    await expect
      .poll(() => page.evaluate(() => JSON.parse(localStorage.getItem('conclave-texts') ?? '')[0]))
      .toEqual({ name: 'ticket-office', text: `${pastedBefore}${broken}` });
    const start = page.getByRole('combobox', { name: 'Start from …' });
    let asked = 0;
    const answer = (accepts: boolean) =>
      page.once('dialog', (dialog) => {
        asked++;
        void (accepts ? dialog.accept() : dialog.dismiss());
      });
    answer(false);
    await start.selectOption('raymond');
    await expect.poll(() => asked).toBe(1);
    expect(await page.locator('.cm-content').textContent()).toContain('ticket');
    answer(true);
    await start.selectOption('raymond');
    await expect.poll(() => page.locator('.cm-content').textContent()).toContain('raymond');
    answer(true);
    await start.selectOption({ label: 'ticket-office' });
    await findings(page).getByText('Violated', { exact: true }).waitFor();
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
    await write(page, "// nothing yet\nfetch('https://example.org');\n");
    await alert.getByText(`Line ${pasted(2)}: 'fetch' is refused`).waitFor();
    await write(page, 'const = 1;');
    await alert.getByText(`Line ${pasted(1)}: `).waitFor();
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

const source = (page: Page) => page.locator('.cm-content');
const exercise = (page: Page) => page.getByRole('region', { name: 'Exercise' });
const judge = (page: Page) => page.getByRole('button', { name: 'Judge', exact: true }).click();

/** With a guard before the first of the two rules for a request. */
async function mended(): Promise<string> {
  const [exercise] = codeExercises;
  const start = exercise ? await startingFile(exercise) : '';
  return start.replace(
    "request: [{ actions: ['wit",
    "request: [{ guard: 'oursIsOlder', actions: ['wit",
  );
}

describeInBrowser('an exercise in code', () => {
  proof('is found on the first page, gives hints one by one, and is judged', async () => {
    const { page, complaints, picture } = await show('');
    await page.getByText(/^Exercises: break it, mend it/).click();
    await page.locator('a[href="#play?exercise=mend-ricart-agrawala"]').click();
    await source(page).waitFor();
    expect(await exercise(page).getByRole('listitem').count()).toBe(0);
    await page.getByRole('button', { name: 'Hint 1 of 3' }).click();
    await page.getByRole('button', { name: 'Hint 2 of 3' }).click();
    expect(await exercise(page).getByRole('listitem').count()).toBe(2);
    await write(page, await mended());
    await page.getByRole('heading', { name: 'Holds', exact: true }).waitFor();
    await judge(page);
    await page.getByRole('heading', { name: '3 of 3 points' }).waitFor({ timeout: 60_000 });
    await picture('exercise-in-code');
    expect(new URL(page.url()).hash).toMatch(/exercise=mend-ricart-agrawala&code=/);
    expect(complaints).toEqual([]);
  });

  proof('speaks German, and shows the run that is wrong', async () => {
    const { page, complaints } = await openPage('play?exercise=write-token-ring&lang=de');
    await page.getByText('Schreiben, was ein Knoten').first().waitFor();
    expect(await source(page).textContent()).toContain('Nachrichten und Befehle:');
    await page.getByRole('button', { name: 'Bewerten', exact: true }).click();
    await page.getByRole('heading', { name: '0 von 3 Punkten' }).waitFor({ timeout: 60_000 });
    expect(complaints).toEqual([]);
    const other = await openPage('play?exercise=mend-ricart-agrawala');
    await source(other.page).waitFor();
    await judge(other.page);
    await other.page.getByRole('heading', { name: '0 of 3 points' }).waitFor();
    await other.page.locator('.judged').getByRole('button', { name: 'Show' }).click();
    await other.page.getByRole('button', { name: 'I trust it' }).click();
    await other.page.getByRole('group', { name: /^Network/ }).waitFor();
    await other.page.keyboard.press('End');
    expect(new URL(other.page.url()).hash).toContain('complete:2');
    await other.page.goBack(); // what is changed is no longer judged
    await source(other.page).waitFor();
    await judge(other.page);
    await other.page.getByRole('heading', { name: '0 of 3 points' }).waitFor();
    await write(other.page, await mended());
    await expect
      .poll(() => other.page.getByRole('heading', { name: '0 of 3 points' }).count())
      .toBe(0);
    expect(other.complaints).toEqual([]);
  });
});
