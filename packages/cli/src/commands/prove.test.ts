import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { conclave, json } from '../fixtures/conclave.js';

const exclusion = 'at most one node is in the critical section';

describe('conclave prove', () => {
  proof('proves a property, and prints what the proof rests on', async () => {
    const { exitCode, stdout } = await conclave(['prove', 'A11', '--property', 'at most one']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`✓ holds for every n  ${exclusion}`);
    expect(stdout).toMatch(/Assumed:\n.*networks of more than .*\n(.*\n)*.*no message is lost/);
  });

  it('says what is not proved, and why, with exit code 2', async () => {
    const { exitCode, value } = await json('prove', 'B6');
    expect(exitCode).toBe(2);
    expect(value).toMatchObject({
      networks: 'two-way-ring:n',
      properties: expect.arrayContaining([
        expect.objectContaining({
          verdict: 'not proved',
          reason: expect.stringContaining('do not grow node by node'),
        }),
      ]),
    });
  });

  it.each([
    [['--topology', 'chain:5'], 'is one network'],
    [['--property', 'nonsense'], "No property of states has the text 'nonsense'"],
    [['--views', '7'], 'A view of 7 nodes makes no sense'],
  ])('refuses %s', async (words, message) => {
    const { exitCode, stderr } = await conclave(['prove', 'A1', ...words]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});
