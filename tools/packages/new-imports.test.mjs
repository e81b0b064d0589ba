/** Old imports of a program become those of now; what has not moved stays as it is. */
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
    "import { fileTicks } from '@conclave/algorithms/once/node';",
    "import { fileTicks } from '@conclave/coordination/node';",
  ],
  [
    "import { raymond } from '@conclave/algorithms/raymond';",
    "import { raymond } from '@conclave/algorithms/raymond';",
  ],
])('%s', (before, after) => expect(rewritten(before)).toBe(after));
