/** Old imports of a program become those of now; what has not moved stays as it is. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { rewritten } from './new-imports.mjs';

it.each([
  [
    "import { lock, type Held, raymond } from '@conclave/algorithms';",
    "import { raymond } from '@conclave/algorithms';\nimport { lock, type Held } from '@conclave/coordination';",
  ],
  [
    'import type { Lock } from "@conclave/algorithms";',
    'import type { Lock } from "@conclave/coordination";',
  ],
  [
    "const { lock } = await import('@conclave/algorithms/lock/choice');",
    "const { lock } = await import('@conclave/coordination');",
  ],
  [
    "import { fileStore } from '@conclave/algorithms/once/node';",
    "import { fileStore } from '@conclave/coordination/node';",
  ],
  [
    "import { raymond } from '@conclave/algorithms/raymond';",
    "import { raymond } from '@conclave/algorithms/raymond';",
  ],
  [
    "import { explore } from '@conclave/core/exploration';\nimport { mutate } from '@conclave/core/mutation';",
    "import { explore } from '@conclave/check';\nimport { mutate } from '@conclave/check';",
  ],
  [
    "const { matchers } = await import('@conclave/core/vitest');",
    "const { matchers } = await import('@conclave/check/vitest');",
  ],
  [
    "import * as journals from '@conclave/core/conform';",
    "import * as journals from '@conclave/check/conform';",
  ],
  [
    "import * as conclave from '@conclave/algorithms';\nconclave.lock(conclave.raymond());",
    "import * as conclave from '@conclave/algorithms';\nimport * as coordination from '@conclave/coordination';\ncoordination.lock(conclave.raymond());",
  ],
  [
    "import * as conclave from '@conclave/algorithms';\nawait conclave.election(options);",
    "import * as coordination from '@conclave/coordination';\nawait coordination.election(options);",
  ],
  [
    "const { lock, raymond } = await import('@conclave/algorithms');",
    "const { raymond } = await import('@conclave/algorithms');\nconst { lock } = await import('@conclave/coordination');",
  ],
  [
    "const once = (await import('@conclave/algorithms')).once;",
    "const once = (await import('@conclave/coordination')).once;",
  ],
])('%s', (before, after) => expect(rewritten(before)).toBe(after));

it('a folder is refused in one line', () => {
  const program = fileURLToPath(new URL('new-imports.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [program, import.meta.dirname], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([
    2,
    `${import.meta.dirname} cannot be rewritten: it is a folder. Give files, such as src/*.ts.\n`,
  ]);
});
