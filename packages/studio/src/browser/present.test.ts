import { proof } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import { linkText, parseLink } from '../link/link.js';
import { closeBrowser, describeInChromium, openPage } from './chromium.contract.js';

closeBrowser();

const setup = { protocol: 'A3', options: {}, topology: 'complete:2', budget: {} };
const script = {
  ...{ setup, view: 'world' as const, steps: [0, 0, 0], at: 0 },
  notes: { 0: 'Two nodes want the same thing.', 2: 'Both have asked.' },
};

describeInChromium('an exercise', () => {
  it('is open, and solved by the steps that violate its property', async () => {
    proof();
    const { page, complaints, picture } = await openPage('');
    await page.getByText(/^Exercises: break it/).click();
    const lab = page.getByRole('region', { name: 'Elections and time' });
    await lab.getByRole('link', { name: 'Bully election' }).first().click();
    const exercise = page.getByRole('region', { name: 'Exercise' });
    await exercise.waitFor();
    expect(await exercise.textContent()).toContain('4 steps left.');
    expect(await page.getByRole('tab', { name: 'Check' }).count()).toBe(0);
    for (const step of ['1', '5', '2']) {
      const before = page.url();
      await page.keyboard.press(step);
      await page.waitForURL((url) => url.href !== before);
    }
    await expect.poll(() => exercise.textContent()).toContain('Solved, in 3 steps.');
    await picture('exercise');
    expect(complaints).toEqual([]);
  });
});

describeInChromium('a presentation', () => {
  it('shows a script by keys alone, and is left by Escape', async () => {
    const { page, complaints, picture } = await openPage(
      linkText({ ...script, as: 'presentation', panels: ['network', 'trace'] }),
      { width: 1280, height: 720 },
    );
    const said = page.locator('.said');
    await said.waitFor();
    expect(await page.getByRole('region').count()).toBe(2);
    expect(await said.textContent()).toContain('Two nodes want the same thing.');
    await page.keyboard.press('PageDown');
    await expect.poll(() => said.textContent()).toContain('RA1');
    await page.keyboard.press('PageDown');
    await expect.poll(() => said.textContent()).toContain('Both have asked.');
    await picture('presentation');
    await page.keyboard.press('PageUp');
    await expect.poll(() => said.textContent()).toContain('Two nodes want the same thing.');
    await page.keyboard.press('Escape');
    await page.getByRole('banner').waitFor();
    const link = parseLink(new URL(page.url()).hash);
    expect([link?.as, link?.notes]).toEqual([undefined, script.notes]);
    expect(complaints).toEqual([]);
  });

  it('is in another page: one panel in 480 × 320, with a way to the whole', async () => {
    proof();
    const { page, complaints, picture } = await openPage(
      linkText({ ...script, as: 'embed', panels: ['network'] }),
      { width: 480, height: 320 },
    );
    const network = page.getByRole('group', { name: /^Network/ });
    await network.waitFor();
    const box = await network.boundingBox();
    expect([box && box.width > 300, box && box.height > 120]).toEqual([true, true]);
    expect(await page.getByRole('banner').count()).toBe(0);
    await page.getByRole('button', { name: /^One step forward/ }).click();
    await expect.poll(() => page.locator('.said').textContent()).toContain('RA1');
    await picture('embedded');
    const whole = await page.getByRole('link', { name: 'Open in the studio' }).getAttribute('href');
    expect(parseLink(whole ?? '')).toMatchObject({ setup, steps: [0, 0, 0], at: 1 });
    expect(complaints).toEqual([]);
  });

  it('is made in the page: panels, a note, a link and an iframe', async () => {
    proof();
    const { page, complaints } = await openPage('A3?topology=complete:2&steps=0');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Present', exact: true }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('checkbox', { name: 'Statechart' }).uncheck();
    await form.getByRole('textbox').fill('It asks "b" & waits.');
    await form.getByRole('button', { name: 'Copy link' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(parseLink(copied)).toMatchObject({
      as: 'presentation',
      panels: ['network'],
      notes: { 1: 'It asks "b" & waits.' },
    });
    await form.getByRole('button', { name: 'Copy iframe' }).click();
    const snippet = await page.evaluate(() => navigator.clipboard.readText());
    expect(snippet).toMatch(/^<iframe src="studio.html#A3\?[^"]*" title="Ricart–Agrawala" /);
    await form.getByRole('button', { name: 'Present', exact: true }).click();
    await expect.poll(() => page.locator('.said').textContent()).toContain('It asks "b" & waits.');
    expect(await page.getByRole('banner').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
