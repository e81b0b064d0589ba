/** The commands on the pages of the repository: each is one that the command line takes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogue } from '@conclave/tools/catalogue';
import { sampled } from '@conclave/tools/sample';
import { afterAll, describe, expect, it } from 'vitest';
import { conclave, fixture } from './fixtures/conclave.js';

const root = new URL('../../../', import.meta.url);
const pagesIn = (folder: string) =>
  readdirSync(new URL(folder, root)).flatMap((name) =>
    name.endsWith('.md') ? `${folder}${name}` : [],
  );
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'packages/cli/README.md',
  'packages/studio/README.md',
  ...pagesIn('docs/'),
];

/** `npx conclave …` up to a comment, a pipe or a redirection, if it names no placeholder. */
const command = /npx conclave ([^`|><#\n]*)(?=[`|>#\n])/g;

const commandsOf = (page: string): readonly string[] =>
  [...readFileSync(new URL(page, root), 'utf8').matchAll(command)].map(([, words = '']) =>
    words.trim(),
  );
/** The study has many: after each claim the command that shows it. */
const ofStudy = [...new Set(pagesIn('docs/study/').flatMap(commandsOf))];
const commands = [...new Set([...pages.flatMap(commandsOf), ...sampled(ofStudy, 8)])];

const folder = mkdtempSync(join(tmpdir(), 'conclave-pages-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A reader's files: a protocol of the fixtures, and what is written goes to another folder. */
const ours = (word: string): string => {
  if (word.startsWith('./')) return fixture('client-server.js');
  if (/^\$\w+\/\d+$/.test(word)) return word.replace(/^\$\w+/, '1'); // --shard $i/8
  return /^run\.\w+$/.test(word) ? join(folder, word) : word;
};

/** It would write, or read what is not there, or needs a server; or it runs another program. */
const needsFiles =
  /^(init|grade|studio|replay|conform|members|merge|worker|lock)\b|--queue|^course .*--out/;

describe('a command on a page', () => {
  it('is looked for where there are some', () => {
    expect(commands.length).toBeGreaterThan(30);
    expect(commands).toContain('check raymond --loss 1');
  });

  it.each(commands.filter((words) => !needsFiles.test(words)))(
    'conclave %s is taken',
    async (words) => {
      const { exitCode, stderr } = await conclave(words.split(' ').map(ours).filter(Boolean), {
        interrupted: () => true,
      });
      expect(stderr).not.toMatch(/^error:/m);
      expect([0, 1, 130]).toContain(exitCode);
    },
  );

  it.each(commands.filter((words) => needsFiles.test(words)))(
    'conclave %s has options that exist',
    async (words) => {
      const [name = '', ...given] = words.split(' ');
      const { stdout } = await conclave([name, '--help']);
      for (const option of given.filter((word) => word.startsWith('--')))
        expect(stdout).toMatch(new RegExp(`^ +(-\\w, )?${option}\\b`, 'm'));
      expect(stdout).toMatch(new RegExp(`^Usage: conclave ${name}`));
    },
  );
});

it('docs/time.md names the algorithms that say how long messages take', () => {
  const page = readFileSync(new URL('docs/time.md', root), 'utf8');
  const timed = catalogue.filter(({ make }) => make().channels.time);
  const ids = timed.map(({ id }) => id);
  expect(page).toContain(
    `how long messages take: ${ids.slice(0, -1).join(', ')} and ${ids.at(-1)}; `,
  );
  const withOption = catalogue.flatMap((entry) =>
    timed.includes(entry)
      ? []
      : entry.options
          .filter(
            ({ name, type }) => type === 'boolean' && entry.make({ [name]: true }).channels.time,
          )
          .map(({ name }) => `${entry.id} ${name}`),
  );
  expect(withOption).toEqual([
    'A3 acknowledged',
    'B2 acknowledged',
    'C5 detector',
    'E5 heartbeats',
  ]);
  expect(page).toContain(
    '; A3 and B2 with `acknowledged`; C5 with `detector`; E5 with `heartbeats`. ',
  );
});
