/** The command as a process, where what a module does to the process can be seen. It runs on the built packages. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporary } from './fixtures/conclave.js';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const check = (text: string) => {
  const path = temporary('system.mjs', text);
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'check', path], { encoding: 'utf8' });
  return { status, stdout, stderr, path };
};
const system = (next: string) =>
  `export const initial = 0, actions = (n) => (n < 3 ? ['up'] : []), next = (n) => { ${next} return n + 1; }, properties = []`;

describe('a module', () => {
  it('that leaves the process alone has its answer', () => {
    expect(check(system(''))).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('4 states') });
  });

  it.each([0, 1])('that ends the process by %i while it is asked does not pass for a verdict', (code) => {
    const { status, stdout, stderr } = check(system(`if (n === 2) process.exit(${code});`));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^error: The command ended without an answer. Does a module call process.exit/);
  });

  it('that waits for what never comes is refused at once', () => {
    const { status, stdout, stderr, path } = check('await new Promise(() => {})');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toBe(`error: '${path}' fails to load: it awaits something at its top level that never happens\n`);
  });
});
