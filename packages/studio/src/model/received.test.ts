import { describe, expect, it } from 'vitest';
import { readInput } from './own.js';

describe('what is dropped or pasted', () => {
  it.each([
    [
      '// conclave-bundle: 1; Conclave 0.1.0; x\n(() => {})();\n',
      'module',
      '// conclave-bundle: 1; Conclave 0.1.0; x\n(() => {})();',
    ],
    [
      '\uFEFF# conclave-trace: 1\r\n# protocol: raymond\r\n',
      'trace',
      '# conclave-trace: 1\n# protocol: raymond\n',
    ],
    ['a  acquire\n# protocol: raymond\n', 'trace', 'a  acquire\n# protocol: raymond\n'],
    ['file:///page/studio.html#raymond?steps=0.1\n', 'link', 'raymond?steps=0.1'],
    ['https://example.org/studio/#/A3', 'link', 'A3'],
    ['#raymond', 'link', 'raymond'],
    ['https://x.org/#A3?steps=0\n\n#raymond', 'link', 'A3?steps=0;0;A3?steps=0;raymond'],
    ['raymond?losses=1', 'link', 'raymond?losses=1'],
    ['A3', 'link', 'A3'],
  ])('%j is a %s', (text, kind, taken) => {
    expect(readInput(text, 'x')).toEqual({ kind, text: taken });
  });

  it.each([
    ['', 'run.txt is empty'],
    [
      "import { setup } from 'xstate';\nexport const x = 1;",
      'run.txt is the source of a module.*npx conclave studio ./module.ts --bundle FILE',
    ],
    ['a  acquire  x → y', 'run.txt is neither a bundled module, nor a trace, nor a link'],
    ['https://example.org/', 'run.txt is neither'],
  ])('%j is refused', (text, message) => {
    expect(() => readInput(text, 'run.txt')).toThrow(new RegExp(message));
  });
});
