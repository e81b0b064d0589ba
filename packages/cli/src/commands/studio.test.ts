import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { conclave, fixture, json, refuses, temporary } from '../fixtures/conclave.js';

const template = fileURLToPath(new URL('../template/ticket-office.ts', import.meta.url));
const pingPong = fixture('ping-pong.js');

/** What a page was written with. */
function givenIn(path: string) {
  const [, text = ''] =
    /<script type="application\/json" id="given">(.*)<\/script>\n<script id="script">/.exec(
      readFileSync(path, 'utf8'),
    ) ?? [];
  return JSON.parse(text);
}

describe('conclave studio', () => {
  it('writes a page with a module, which opens with its protocol', async () => {
    const out = temporary('page.html');
    const url = pathToFileURL(out).href;
    expect(await conclave(['studio', template, '--out', out])).toEqual({
      exitCode: 0,
      stdout: `${url}\n`,
      stderr: '',
    });
    const { modules, link } = givenIn(out);
    expect(link).toBe('ticket-office');
    expect(modules).toEqual([
      expect.stringMatching(/^\/\/ conclave-bundle: 1; .*; ticket-office\n/),
    ]);
    expect((await json('studio', template, '--out', out)).value).toEqual({
      file: out,
      url,
      protocols: ['ticket-office'],
      opened: false,
    });
  });

  it('keeps all protocols of a module, and opens with one of them only where there is one', async () => {
    const out = temporary('page.html');
    expect((await json('studio', pingPong, '--out', out)).value.protocols).toEqual([
      'deaf-ping-pong',
      'ping-pong',
    ]);
    expect(givenIn(out).link).toBeUndefined();
    expect(
      (await json('studio', pingPong, '--export', 'pingPong', '--out', out)).value.protocols,
    ).toEqual(['ping-pong']);
    expect(givenIn(out).link).toBe('ping-pong');
  });

  it('opens with a protocol of the catalogue and its options', async () => {
    const out = temporary('page.html');
    await conclave(['studio', 'A7', '--option', 'greedy=2', '--out', out]);
    expect(givenIn(out).link).toBe('raymond?options=%7B%22greedy%22:2%7D');
  });

  it('shows what is there already without writing a page, and writes into a temporary folder otherwise', async () => {
    const { value } = await json('studio');
    expect(value).toMatchObject({
      file: expect.stringMatching(/studio\.html$/),
      protocols: [],
      opened: false,
    });
    const { value: written } = await json('studio', 'raymond');
    expect(dirname(dirname(written.file))).toBe(tmpdir());
    expect(givenIn(written.file)).toEqual({ link: 'raymond' });
    rmSync(dirname(written.file), { recursive: true });
  });

  it('watches modules only', async () => {
    expect((await conclave(['studio', 'A7', '--watch'])).stderr).toContain(
      '--watch is for a module of your own',
    );
  });

  it('opens the page in the browser; says so where there is none', async () => {
    const out = temporary('page.html');
    const url = pathToFileURL(out).href;
    const opened: string[] = [];
    const browser = (works: boolean) => ({
      openInBrowser: async (page: string) => {
        opened.push(page);
        return works;
      },
    });
    const argv = ['studio', 'A3', '--out', out];
    expect((await conclave(argv, browser(true))).stdout).toBe(`${url}\nIt opens in the browser.\n`);
    expect((await conclave(argv, browser(false))).stdout).toBe(
      `${url}\nNo browser could be started: open this address in one.\n`,
    );
    expect(opened).toEqual([url, url]);
    expect((await conclave([...argv, '--no-open'], browser(true))).stdout).toBe(`${url}\n`);
    expect(opened).toHaveLength(2);
  });

  it('opens with a trace, and with a link', async () => {
    const [out, trace] = [temporary('page.html'), temporary('run.trace')];
    await conclave(['simulate', 'raymond', '--trace', trace]);
    expect((await conclave(['studio', '--trace', trace, '--out', out])).exitCode).toBe(0);
    expect(givenIn(out).trace).toEqual({ name: trace, text: readFileSync(trace, 'utf8') });
    await conclave([
      'studio',
      '--link',
      'file:///x/studio.html#raymond?losses=1&steps=0',
      '--out',
      out,
    ]);
    expect(givenIn(out)).toEqual({ link: 'raymond?losses=1&steps=0' });
  });

  it('--address is where links of the page lead', async () => {
    const out = temporary('page.html');
    const address = 'https://example.org/studio.html';
    await conclave(['studio', '--address', address, '--out', out]);
    expect(givenIn(out)).toEqual({ address });
    const { exitCode, stderr } = await conclave(['studio', '--address', 'studio.html']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('no address of a page')]);
  });

  proof('--bundle writes the module alone', async () => {
    const path = temporary('office.js');
    const { stdout } = await conclave(['studio', template, '--bundle', path]);
    expect(stdout).toBe(`Wrote ${path} (ticket-office). Drop it on a page of conclave studio.\n`);
    expect(readFileSync(path, 'utf8')).toMatch(/^\/\/ conclave-bundle: 1; /);
    expect((await json('studio', template, '--bundle', path)).value).toEqual({
      file: path,
      protocols: ['ticket-office'],
    });
  });

  refuses('studio', {
    raymont: /^error: There is no algorithm 'raymont'\. Did you mean 'raymond'\?\n$/,
    './none.ts':
      /^error: There is no file '\.\/none\.ts'\. Is the path relative to this folder\?\n$/,
    [`${pingPong} --export pong`]:
      /exports no protocol called 'pong'\. Its protocols: deaf, pingPong\.\n$/,
    [fixture('growing.js')]: /exports no protocol \(it exports /,
    [`${template} --option x=1`]: /A protocol from a module has no --option/,
    '--option x=1':
      /^error: --option is for one protocol\. Name it, as in: npx conclave studio A7 /,
    'A3 --bundle x.js': /^error: --bundle is for a module of your own\. /,
    [`${template} --bundle x.js --trace y`]:
      /^error: --trace is for a page, and --bundle writes none\. /,
    '--trace x --link y': /^error: A page opens with a trace or with a link\. /,
    '--link lock-of-mine?steps=1':
      /^error: The link is about 'lock-of-mine', which is not in the catalogue\. /,
    '--link raymond?stops=1': /^error: The link cannot be read: 'stops' means nothing there\. /,
    '--trace none.trace': /^error: The trace 'none\.trace' cannot be read: ENOENT/,
    'A3 --out /no/such/folder/page.html':
      /^error: The page cannot be written to '\/no\/such\/folder\/page\.html': ENOENT[^\n]*\n$/,
    [`${template} --bundle /no/such/folder/x.js`]:
      /^error: The bundled module cannot be written to '/,
  });

  it.each([
    [
      'of another protocol than the one named',
      '# protocol: raymond\n# topology: chain:3\n',
      ['A3'],
      "of 'raymond', and not of ricart-agrawala. Name the module or the protocol 'raymond'.",
    ],
    [
      'of a protocol that is not in the catalogue',
      '# protocol: mine\n# topology: chain:3\n',
      [],
      "of 'mine', which is not in the catalogue. Name its module: ",
    ],
    [
      'that the protocol does not take',
      '# protocol: raymond\n# topology: chain:3\na  release  x → y\n',
      [],
      "is no run of Raymond / van de Snepscheut: Line 1, 'a  release  x → y' is not possible: ",
    ],
    ['without a network', '# protocol: raymond\n', [], 'its header has no topology.'],
  ])('refuses a trace %s', async (_, text, argv, message) => {
    const trace = temporary('run.trace', text);
    const { exitCode, stderr } = await conclave(['studio', ...argv, '--trace', trace]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});
