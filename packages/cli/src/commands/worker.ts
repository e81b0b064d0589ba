import type { Command } from 'commander';
import { badInput } from '../errors.js';
import { declare, jsonOption, parsed, positive } from '../input/options.js';
import { counted } from '../output/text.js';
import { answer, type Session } from '../session.js';
import { queueOption } from '../shards/part.js';
import { openQueue, stopSubject } from '../shards/queue.js';
import { type Work, WorkerThread } from '../shards/work.js';

const description = {
  name: 'worker',
  description: 'do shards that other commands have put into a queue',
  options: {
    ...queueOption,
    workers: parsed('n', 'how many shards at once, each in its thread (default: 1)', positive),
    ...jsonOption,
  },
  help: `It works until Ctrl-C, which gives its shards back. One that dies gives them back, too, after half
a minute. A worker with another version of Conclave, XState or Node.js, or with another source of
the module, refuses a shard and says so. A module must be at the same path on all machines, from
the folder where the command is run.

Examples:
  conclave worker --queue nats://127.0.0.1:4222 --workers 4
  conclave simulate A3 --loss 0.01 --seeds 1..1000000 --queue nats://127.0.0.1:4222`,
};

/** `conclave worker`: a part of what several machines do together. */
export const workerCommand = (program: Command, session: Session): void =>
  declare(program, description, async ({ queue: address, workers = 1, json }) => {
    if (address === undefined)
      throw badInput('A worker needs a queue', 'Give it, as in --queue nats://127.0.0.1:4222.');
    const queue = await openQueue(address);
    const work: Work = { shards: 0, failed: 0, refused: 0 };
    const refused = new Set<string>();
    const threads = Array.from(
      { length: workers },
      () => new WorkerThread(session, queue, work, refused),
    );
    queue.connection.subscribe(stopSubject('*'), {
      callback: (error, message) => {
        if (error) return;
        const sweep = message.subject.slice(stopSubject('').length);
        for (const thread of threads) thread.stop(sweep, Number(message.string()));
      },
    });
    session.stderr(`working for ${new URL(address).host}; Ctrl-C ends it.\n`);
    try {
      await Promise.all(threads.map((thread) => thread.run()));
    } finally {
      await queue.close();
    }
    session.exitCode = 130;
    answer(
      session,
      json,
      work,
      () =>
        `${counted(work.shards, 'shard')} done, ${work.failed} of them failed, ${work.refused} refused.\n`,
    );
  });
