import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { quickOf } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import { temporary } from '../fixtures/conclave.js';
import { placeOfError } from './load-module.js';

const bin = fileURLToPath(new URL('../../bin/conclave.js', import.meta.url));

/** What the command says of this module: tests load modules in another way than Node.js. */
function refusalOf(text: string, imported: string): string {
  const path = temporary('shop.mjs', text);
  writeFileSync(path.replace('shop', 'machine'), imported);
  return spawnSync(process.execPath, [bin, 'check', path], { encoding: 'utf8' }).stderr;
}

it.each(
  quickOf(
    [
      [
        'a name that a module does not export',
        "import { createMachin } from './machine.mjs';\n",
        'export const createMachine = 1;\n',
        'shop.mjs:1:10',
      ],
      [
        'a mistake in the syntax',
        'export const one = 1;\nexport const two = { a: 1 b: 2 };\n',
        '',
        'shop.mjs:2:27',
      ],
      [
        'a mistake in a module that it imports',
        "import { machine } from './machine.mjs';\n",
        'export const\n  machine = ;\n',
        'machine.mjs:2:13',
      ],
    ],
    ([, , imported]) => imported.includes('machine ='),
  ),
)('names file, line and column of %s', (_what, text, imported, place) => {
  const [, found] =
    /fails to load: .*\(.*[/\\](\w+\.mjs:\d+:\d+)\)$/m.exec(refusalOf(text, imported)) ?? [];
  expect(found).toBe(place);
});

it('says nothing of other errors', () => {
  expect(placeOfError(new Error('no'), 'shop.mjs')).toBe('');
});
