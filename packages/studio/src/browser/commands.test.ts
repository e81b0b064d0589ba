/** What the command line writes, opened in the browser. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { proof } from '@conclave/tools/sample';
import { afterAll, expect } from 'vitest';
import { closeBrowser, describeInBrowser, openPage } from './browser.contract.js';

closeBrowser();

const bin = fileURLToPath(new URL('../../../cli/bin/conclave.js', import.meta.url));
const template = fileURLToPath(
  new URL('../../../cli/src/template/ticket-office.ts', import.meta.url),
);
const folder = mkdtempSync(join(tmpdir(), 'conclave-studio-'));
symlinkSync(
  fileURLToPath(new URL('../../../cli/node_modules', import.meta.url)),
  join(folder, 'node_modules'),
);
afterAll(() => rmSync(folder, { recursive: true }));

function conclave(...argv: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, [bin, ...argv], {
    encoding: 'utf8',
    cwd: folder,
  });
  if (status === 2 || status === null) throw new Error(`conclave ${argv.join(' ')}: ${stderr}`);
  return stdout;
}

const hashOf = (url: string): string => url.split('#')[1] ?? '';

describeInBrowser('the command line and the page', () => {
  proof('conclave check raymond --loss 1 prints a link to each counterexample', async () => {
    const { properties } = JSON.parse(conclave('check', 'raymond', '--loss', '1', '--json'));
    const violated = properties.filter(
      ({ verdict }: { readonly verdict: string }) => verdict === 'violated',
    );
    expect(violated.length).toBeGreaterThan(0);
    for (const { name, link } of violated) {
      const { page, complaints, picture } = await openPage(hashOf(link));
      const property = page
        .getByRole('region', { name: 'Properties' })
        .getByRole('listitem')
        .filter({ hasText: name });
      await expect.poll(() => property.first().textContent()).toContain('false');
      await picture('raymond');
      expect(complaints).toEqual([]);
    }
  });

  proof('a trace file opens, with its times', async () => {
    const trace = join(folder, 'run.txt');
    conclave(
      'simulate',
      'raymond',
      '--topology',
      'tree:2:5',
      '--loss',
      '0.1',
      '--seed',
      '3',
      '--trace',
      trace,
    );
    const { page, complaints, picture } = await openPage('');
    await page.locator('input[type=file]').setInputFiles(trace);
    await page.getByRole('group', { name: /^Network/ }).waitFor();
    const lines = readFileSync(trace, 'utf8')
      .split('\n')
      .filter((line) => /ms {2}/.test(line));
    const shown = page.getByRole('list', { name: 'Steps of this branch' }).getByRole('button');
    expect(await shown.count()).toBe(lines.length);
    expect(await shown.first().textContent()).toContain('ms');
    await picture('trace');
    expect(complaints).toEqual([]);
  });

  proof('a module of the user is in the page: run, check, chart', async () => {
    const file = join(folder, 'office.html');
    conclave('studio', template, '--out', file, '--no-open');
    const { page, complaints, picture } = await openPage('ticket-office?view=check', { file });
    await page.getByRole('button', { name: 'Check', exact: true }).first().click();
    await page.getByRole('region', { name: 'Verdicts' }).getByRole('listitem').first().waitFor();
    expect(await page.getByRole('region', { name: 'Verdicts' }).textContent()).toContain('holds');
    await page.getByRole('tab', { name: 'World' }).click();
    await page.locator('.chart-drawing .state.active').first().waitFor();
    await page.keyboard.press('1');
    await expect.poll(() => page.url()).toContain('steps=0');
    await picture('own-module');
    expect(complaints).toEqual([]);
  });

  proof('--watch shows a changed module at the same steps', async () => {
    const module = join(folder, 'watched.ts');
    const write = (title: string) =>
      writeFileSync(module, readFileSync(template, 'utf8').replaceAll('Ticket office', title));
    write('First title');
    const argv = [bin, 'studio', module, '--watch', '--no-open', '--json'];
    const child = spawn(process.execPath, argv, { cwd: folder });
    try {
      const [text] = await once(child.stdout.setEncoding('utf8'), 'data');
      const { page, complaints } = await openPage('ticket-office?steps=0', {
        url: JSON.parse(text).url,
      });
      const title = page.getByRole('heading', { level: 1 });
      await expect.poll(() => title.textContent()).toContain('First title');
      await page.keyboard.press('1');
      await expect.poll(() => page.url()).toContain('steps=0.0');
      write('Second title');
      await expect.poll(() => title.textContent(), { timeout: 300_000 }).toContain('Second title');
      expect(page.url()).toContain('steps=0.0');
      expect(complaints).toEqual([]);
      child.kill('SIGINT');
      expect(await once(child, 'close')).toEqual([expect.anything(), null]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

const saves = () => {
  proof(
    'a protocol of the catalogue, changed and saved in the playground, is checked by the command',
    async () => {
      const { page, complaints } = await openPage('raymond?view=specification');
      await page.getByRole('button', { name: 'Change it' }).click();
      await page.getByRole('region', { name: 'Verdicts' }).getByText('holds').first().waitFor();
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save file' }).click();
      const file = join(folder, (await saved).suggestedFilename());
      await (await saved).saveAs(file);
      const { properties } = JSON.parse(conclave('check', file, '--json'));
      const verdicts = properties.map(({ verdict }: { readonly verdict: string }) => verdict);
      expect(new Set(verdicts)).toEqual(new Set(['holds', 'reached']));
      await page.locator('input[type=file]').setInputFiles(file); // and back
      expect(complaints).toEqual([]);
    },
  );
};

const inFirefox = false; // what drives Firefox does not tell of downloads

describeInBrowser('the playground and the command line', saves, inFirefox);
