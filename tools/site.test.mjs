/** Whether links in the Markdown files, and in the site that is made of them, lead somewhere. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { proof } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import { anchorsIn } from './slugs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = (program, ...words) => {
  const { VITEST: _, ...env } = process.env; // with it, tools load sources
  return spawnSync(program, words, { cwd: root, env, encoding: 'utf8' });
};
const pages = run('git', 'ls-files', '*.md').stdout.trim().split('\n');
const read = (path) => readFileSync(join(root, path), 'utf8');
/** Without examples, and without what stands in code. */
const textOf = (path) =>
  read(path)
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''));

it('each link in a page leads to a file, and to a heading of it', () => {
  const wrong = pages.flatMap((path) =>
    [...textOf(path).matchAll(/\]\((?!\w+:)([^)\s]*)\)|\b(?:src|srcset)="(?!\w+:)([^"]+)"/g)]
      .map(([, link, source]) => link ?? source)
      .filter((link) => {
        const [file, anchor] = decodeURI(link).split('#');
        const target = file === '' ? path : normalize(join(dirname(path), file));
        if (!existsSync(join(root, target))) return true;
        return anchor && target.endsWith('.md') && !anchorsIn(read(target)).has(anchor);
      })
      .map((link) => `${path}: ${link}`),
  );
  expect(wrong).toEqual([]);
  expect(pages.length).toBeGreaterThan(100);
});

proof('the site has every page, and no link in it leads nowhere', () => {
  const out = mkdtempSync(join(tmpdir(), 'conclave-site-'));
  try {
    const { status, stdout, stderr } = run(process.execPath, 'tools/site.mjs', '--out', out);
    expect([status, stderr]).toEqual([0, '']);
    expect(Number(/^(\d+) pages: /m.exec(stdout)?.[1])).toBeGreaterThan(100);
    expect(existsSync(join(out, 'studio.html'))).toBe(true);
  } finally {
    rmSync(out, { recursive: true });
  }
});

it('refuses an option that does not exist, with the usage', () => {
  const { status, stderr } = run(process.execPath, 'tools/site.mjs', '--fast');
  expect([status, stderr]).toEqual([2, expect.stringContaining('Usage: npm run site')]);
});
