import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conclave, json, refuses, temporary } from '../fixtures/conclave.js';

const lock = ['export', 'A3', '--topology', 'complete:2'];
const page = readFileSync(new URL('../../../../docs/second-opinion.md', import.meta.url), 'utf8');
const partOf = (name: string) =>
  new RegExp(`<!-- ${name}: begin -->\n\`\`\`text\n(.*?)\`\`\`\n<!-- ${name}: end -->`, 's').exec(
    page,
  )?.[1];

describe('conclave export', () => {
  it('prints a model in Promela whose head says what was found', async () => {
    const { exitCode, stdout, stderr } = await conclave(lock);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      /^\/\/ Ricart–Agrawala on complete:2\n\/\/ By conclave [\d.]+: conclave export A3 --topology complete:2\n\/\/ The explorer of Conclave found 35 states and 46 transitions\.\n/,
    );
    expect(stdout).toContain('// SPIN must count 35 states and 47 transitions');
    expect(stdout).toContain('\nltl p1 { [] p1_holds }\n');
    expect(stdout).toContain(partOf('event'));
  });

  it('--out writes it, and says what is in it, as docs/second-opinion.md does', async () => {
    const file = temporary('run.pml');
    const { exitCode, stdout } = await conclave([...lock, '--loss', '1', '--out', file]);
    expect({ exitCode, stdout: stdout.replaceAll(file, 'run.pml') }).toEqual({
      exitCode: 0,
      stdout: partOf('export'),
    });
    expect(readFileSync(file, 'utf8')).toContain('byte losses = 1;\n');
  });

  it('--json has the properties, and how the model checks them', async () => {
    const { exitCode, value } = await json(...lock);
    expect(exitCode).toBe(0);
    expect(value).toMatchObject({
      ...{ protocol: 'ricart-agrawala', topology: 'complete:2', format: 'promela' },
      ...{ states: 35, transitions: 46, stored: 35, counted: 47 },
    });
    expect(value.properties[0]).toEqual({
      ...{ name: 'at most one node is in the critical section', kind: 'always', verdict: 'holds' },
      claim: {
        property: 'at most one node is in the critical section',
        ...{ by: 'states', claims: ['p1'] },
      },
    });
  });

  it('--format aut: each transition with its action', async () => {
    const { stdout } = await conclave([...lock, '--format', 'aut']);
    const [head, ...lines] = stdout.trimEnd().split('\n');
    expect(head).toBe('des (0, 46, 35)');
    expect(lines).toHaveLength(46);
    expect(lines[0]).toBe('(0, "a acquire", 1)');
    const reached = new Set(lines.map((line) => Number(/(\d+)\)$/.exec(line)?.[1])));
    expect(reached.size).toBe(34); // all but the first
  });

  it('--format drn: the decision process of the messages', async () => {
    const { stdout } = await conclave([...lock, '--format', 'drn']);
    expect(stdout).toContain('@type: MDP\n');
    expect(stdout).toContain('@nr_states\n35\n');
  });

  refuses('export', {
    'C3 --topology complete:2': /is explored in exact time.*--time untimed/,
    'A3 --partition 1': /has partitions.*Leave them out/,
    'A3 --crash 1 --unsent': /has unsent.*Leave it out/,
    'A11 --topology ring:2 --crash 1': /send at their start.*--atomic-steps/,
    'A3 --topology complete:2 --max-states 10': /has more than.*Take a smaller network/,
    'A3 --topology complete:2 --out run.xyz': /is no \.xyz file.*ends in \.pml/,
    'A3 --topology complete:2 --max-states 10 --format aut': /has more than.*higher limit/,
    'A3 --topology complete:2 --max-states 10 --format drn': /no complete model.*higher limit/,
  });

  it('interrupted, it writes nothing', async () => {
    const { exitCode, stdout, stderr } = await conclave(lock, { interrupted: () => true });
    expect({ exitCode, stdout, stderr }).toEqual({
      ...{ exitCode: 130, stdout: '' },
      stderr: 'interrupted: nothing was written.\n',
    });
  });
});
