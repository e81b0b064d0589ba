/** Threads with a lock each, over message ports. The argument is their configurations as JSON. */
import { Worker } from 'node:worker_threads';
import { portsBetween } from '@conclave/core/embedding';

const configs = JSON.parse(process.argv[2]);
const ports = portsBetween(configs.map(({ self }) => self));
for (const config of configs)
  new Worker(new URL('./worker.run.mjs', import.meta.url), {
    argv: [JSON.stringify(config)],
    workerData: ports[config.self],
    transferList: Object.values(ports[config.self]),
  });
