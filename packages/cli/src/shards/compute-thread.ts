/** The thread of `compute.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { run } from '../run.js';
import type { ComputeAnswer, ComputeData, ComputeRequest } from './compute.js';

const { interrupts } = workerData as ComputeData; // compute.ts passes exactly this

parentPort?.on('message', async ({ argv }: ComputeRequest) => {
  const answer = { stdout: '', stderr: '' };
  const exitCode = await run(argv, {
    stdout: (text) => {
      answer.stdout += text;
    },
    stderr: (text) => {
      answer.stderr += text;
    },
    isTTY: false,
    interrupted: () => Atomics.load(interrupts, 0) > 0,
  });
  parentPort?.postMessage({ exitCode, ...answer } satisfies ComputeAnswer);
});
