import { proof } from '@conclave/tools/sample';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { german } from '../texts/german.js';
import { lecture } from '../view/catalogue/lecture.js';
import { noteAt } from '../view/presentation.js';
import { closeBrowser, describeInBrowser, openPage } from './browser.contract.js';

closeBrowser();

const sayings: Readonly<Record<string, string>> = german;

/** The English texts whose German differs: with places, those that are long enough to be known. */
const english = Object.entries(german).flatMap(([text, other]): readonly (string | RegExp)[] => {
  if (text === other) return [];
  if (!/\{\w+\}/.test(text)) return [text.trim()];
  const parts = text.split(/\{\w+\}/);
  if (parts.join('').length < 14) return [];
  return [new RegExp(`^${parts.map((part) => part.replace(/\W/g, '\\$&')).join('.+')}$`)];
});

/** What of the page that is seen or read aloud is English, although the table has it in German. */
async function englishIn(page: Page): Promise<readonly string[]> {
  const said = await page.evaluate(() => {
    const texts = new Set<string>();
    const add = (text: string | null) => text && texts.add(text.replace(/\s+/g, ' ').trim());
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ALL);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node instanceof Element ? node : node.parentElement;
      if (
        element?.closest(
          'script, style, code, pre, .rules, .specification, .chart-context dd, .chart-drawing',
        )
      )
        continue;
      if (node instanceof Element)
        for (const name of ['title', 'aria-label', 'placeholder', 'aria-valuetext'])
          add(node.getAttribute(name));
      else add(node.textContent);
    }
    return [...texts];
  });
  expect(said.length).toBeGreaterThan(10);
  return said.filter((text) =>
    english.some((one) =>
      typeof one === 'string' ? one === text : text.length < 120 && one.test(text),
    ),
  );
}

const press = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).first().click();
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click();

describeInBrowser('in German', () => {
  proof(
    'the first page, a world, a check and an exercise have no English text of the table',
    async () => {
      const { page, complaints, picture } = await openPage('?lang=de');
      await page.getByText(/^Aufgaben: /).click();
      expect(await englishIn(page)).toEqual([]);
      expect(await page.locator('html').getAttribute('lang')).toBe('de');
      await picture('german');
      await page.locator('.labs a').first().click();
      await page.getByText('Noch 8 Schritte.').waitFor();
      expect(await englishIn(page)).toEqual([]);
      await page.getByRole('link', { name: 'Conclave: alle Protokolle' }).click();
      await page.locator('a[href="#raymond"]').click();
      await page.getByRole('listbox').getByRole('option').first().click();
      await page.getByText('Was nicht möglich ist, und warum').click();
      await press(page, 'System');
      expect(await englishIn(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await press(page, 'Vorführen');
      expect(await englishIn(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await tab(page, 'Prüfen');
      await press(page, 'Prüfen');
      await page.getByText(/^Jede erreichbare Welt /).waitFor();
      expect(await englishIn(page)).toEqual([]);
      expect(page.url()).toContain('lang=de');
      expect(complaints).toEqual([]);
    },
  );

  proof('rules, properties and ideas are German, and what stays English is marked', async () => {
    const { page, complaints } = await openPage('A3?topology=complete:2&lang=de&steps=0');
    const german = 'höchstens ein Knoten ist im kritischen Abschnitt';
    await page.locator('.properties').getByText(german).waitFor();
    await page.locator('.trace .rules').getByText('Ein Knoten, der eintreten will').waitFor();
    expect(await page.locator('.trace .lines button span[lang=en]').count()).toBe(1);
    expect(await page.locator('.chart-drawing').getAttribute('lang')).toBe('en');
    await tab(page, 'Spezifikation');
    const article = page.locator('.specification');
    await article.locator('td[lang=de]').first().waitFor();
    expect(await article.locator('td[lang=de]').first().textContent()).toContain('Ein Knoten');
    expect(await article.locator('> div[lang=en]').count()).toBe(2);
    await page.getByRole('button', { name: 'EN', exact: true }).click();
    await expect.poll(() => article.locator('[lang]').count()).toBe(0);
    await page.getByRole('button', { name: 'DE', exact: true }).click();
    await page.getByRole('link', { name: 'Conclave: alle Protokolle' }).click();
    const card = (name: string) => page.locator('.catalogue li', { hasText: name });
    const idea = 'Ein Knoten, der eintreten will, fragt jeden anderen Knoten';
    await card('Ricart–Agrawala').getByText(idea).waitFor();
    expect(await card('Paxos').locator('p [lang=en]').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  proof(
    'each step of the lecture says its note, and other views have no English text of the table',
    async () => {
      const { page, complaints, picture } = await openPage('lecture?lang=de');
      for (const { link } of lecture)
        for (let step = 0; step <= link.steps.length; step++) {
          const note = noteAt(link.notes, step) ?? '';
          await page.getByText(sayings[note] ?? note, { exact: true }).waitFor();
          expect(await englishIn(page)).toEqual([]);
          await page.keyboard.press('PageDown');
        }
      await picture('german-lecture');
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      await page.getByRole('heading', { name: 'Tasten' }).waitFor();
      expect(await englishIn(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.locator('.node').first().click();
      await page.getByRole('menu').waitFor();
      expect(await englishIn(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await press(page, 'Simulieren');
      expect(await englishIn(page)).toEqual([]);
      await page.keyboard.press('Escape');
      for (const view of ['paths', 'specification', 'check']) {
        await page.evaluate((hash) => {
          location.hash = hash;
        }, `raymond?topology=chain:2&lang=de&view=${view}`);
        await page.locator('main h2').first().waitFor();
        if (view === 'check') {
          await tab(page, 'Zustandsgraph');
          await page.getByText('a: acquire').waitFor();
        }
        if (view !== 'specification')
          await page
            .getByText(/ Welten/)
            .first()
            .waitFor();
        expect(await englishIn(page)).toEqual([]);
      }
      expect(complaints).toEqual([]);
    },
  );

  proof('as the browser is, and otherwise as its reader has chosen', async () => {
    const { page } = await openPage('', { locale: 'de-AT' });
    const title = page.getByRole('heading', { level: 1 });
    await page.getByText('Geschichten').first().waitFor();
    await page.getByRole('button', { name: 'EN', exact: true }).click();
    expect(await title.textContent()).toBe('Distributed protocols, to see, move and break');
    await page.reload();
    expect(await title.textContent()).toBe('Distributed protocols, to see, move and break');
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
  });
});
