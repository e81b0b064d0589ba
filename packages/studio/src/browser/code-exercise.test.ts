import { proof } from '@conclave/tools/sample';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { codeExercises } from '../course/code-exercises.js';
import { startingFile } from '../course/starting-file.js';
import { closeBrowser, describeInBrowser, openPage } from './browser.contract.js';

closeBrowser();

const source = (page: Page) => page.locator('.cm-content');
const exercise = (page: Page) => page.getByRole('region', { name: 'Exercise' });
const judge = (page: Page) => page.getByRole('button', { name: 'Judge', exact: true }).click();

/** Puts a guard before the first of the two rules for a request. */
async function mend(page: Page): Promise<void> {
  const [exercise] = codeExercises;
  const start = exercise ? await startingFile(exercise) : '';
  await source(page).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(
    start.replace("request: [{ actions: ['wit", "request: [{ guard: 'oursIsOlder', actions: ['wit"),
  );
}

describeInBrowser('an exercise in code', () => {
  it('is found on the first page, gives hints one by one, and is judged', async () => {
    const { page, complaints, picture } = await openPage('');
    await page.getByText(/^Exercises: break it, mend it/).click();
    await page.locator('a[href="#play?exercise=mend-ricart-agrawala"]').click();
    await source(page).waitFor();
    expect(await exercise(page).getByRole('listitem').count()).toBe(0);
    await page.getByRole('button', { name: 'Hint 1 of 3' }).click();
    await page.getByRole('button', { name: 'Hint 2 of 3' }).click();
    expect(await exercise(page).getByRole('listitem').count()).toBe(2);
    await judge(page);
    await page.getByRole('heading', { name: '0 of 3 points' }).waitFor();
    await mend(page);
    await page.getByRole('heading', { name: 'Holds', exact: true }).waitFor();
    expect(await page.getByRole('heading', { name: '0 of 3 points' }).count()).toBe(0);
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
    await other.page.locator('.judged').getByRole('button', { name: 'Show' }).click();
    await other.page.getByRole('button', { name: 'I trust it' }).click();
    await other.page.getByRole('group', { name: /^Network/ }).waitFor();
    await other.page.keyboard.press('End');
    expect(new URL(other.page.url()).hash).toContain('complete:2');
    expect(other.complaints).toEqual([]);
  });
});
