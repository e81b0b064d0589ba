/**
 * The reference model of the benchmark: one fixed form of Ricart–Agrawala for all tools, so that
 * their state counts can be compared.
 */

import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { always, defineProtocol, send } from '@conclave/core/protocol';
import { complete, needs } from '@conclave/core/topology';
import { setup } from 'xstate';
import { isInstalled, run } from '../measured.mjs';

/** What every tool must find, by nodes × entries of each. */
export const counts = {
  '3×1': { states: 7_912, transitions: 15_792 },
  '3×2': { states: 590_664, transitions: 1_301_464 },
  '3×3': { states: 7_171_438, transitions: 18_025_617 },
  '4×1': { states: 127_708_821, transitions: 360_235_928 },
};

const isOlder = (ts, id, otherTs, otherId) => ts < otherTs || (ts === otherTs && id < otherId);

const node = setup({});
const machine = node
  .extend({
    actions: {
      stamp: node.assign(({ context }) => ({
        clock: context.clock + 1,
        ts: context.clock + 1,
        replies: [],
      })),
      requestAll: node.enqueueActions(({ context, enqueue }) => {
        for (const peer of context.peers)
          enqueue.emit(send(peer, { type: 'request', t: context.ts }));
      }),
      witness: node.assign(({ context, event }) => ({
        clock: Math.max(context.clock, event.t) + 1,
      })),
      reply: node.emit(({ event }) => send(event.from, { type: 'reply' })),
      defer: node.assign(({ context, event }) => ({ deferred: [...context.deferred, event.from] })),
      count: node.assign(({ context, event }) => ({ replies: [...context.replies, event.from] })),
      replyDeferred: node.enqueueActions(({ context, enqueue }) => {
        for (const peer of context.deferred) enqueue.emit(send(peer, { type: 'reply' }));
        enqueue.assign({ deferred: [] });
      }),
    },
    guards: {
      allReplied: ({ context }) => context.replies.length === context.peers.length,
      oursIsOlder: ({ context, event }) => isOlder(context.ts, context.self, event.t, event.from),
    },
  })
  .createMachine({
    id: 'reference',
    context: ({ input }) => ({ ...input, clock: 0, ts: 0, replies: [], deferred: [] }),
    initial: 'released',
    states: {
      released: {
        on: {
          acquire: { target: 'wanted', actions: ['stamp', 'requestAll'] },
          request: { actions: ['witness', 'reply'] },
        },
      },
      wanted: {
        tags: 'waiting',
        always: { guard: 'allReplied', target: 'held' },
        on: {
          request: [
            { guard: 'oursIsOlder', actions: ['witness', 'defer'] },
            { actions: ['witness', 'reply'] },
          ],
          reply: { actions: 'count' },
        },
      },
      held: {
        tags: 'critical',
        on: {
          request: { actions: ['witness', 'defer'] },
          release: { target: 'released', actions: 'replyDeferred' },
        },
      },
    },
  });

const protocol = defineProtocol({
  name: 'reference',
  title: 'Ricart–Agrawala, reference model',
  problem: 'mutual-exclusion',
  citation:
    'G. Ricart, A. K. Agrawala: An Optimal Algorithm for Mutual Exclusion in Computer Networks. CACM 24:1, 1981',
  topology: needs.complete,
  channels: { order: 'fifo', loss: false, duplication: false },
  roles: {
    node: { machine, input: (self, topology) => ({ self, peers: topology.successors(self) }) },
  },
  messages: {
    request: { fields: ['t'], meaning: 'I want to enter; `t` is the time of my request' },
    reply: { meaning: 'you may enter as far as I am concerned' },
  },
  commands: {
    acquire: {
      kind: 'optional',
      meaning: 'the application wants to enter the critical section',
      when: ({ value }) => value === 'released',
    },
    release: {
      kind: 'obligatory',
      meaning: 'the application leaves it',
      when: ({ tags }) => tags.has('critical'),
    },
  },
  properties: [
    always(
      'at most one node is in the critical section',
      (system) => system.count('critical') <= 1,
    ),
  ],
});

/** A system whose nodes may enter `commands` times each: protocol, network, budget. */
export const reference = (nodes, commands) => [protocol, complete(nodes), { commands }];

// SPIN on the reference model: it is compiled, and then measured.

/**
 * The shell command that compiles the model. `-DSAFETY`: no search for cycles. `-DNOREDUCE`: all
 * states, as the other tools. States are stored exactly. Collapse compression, smaller channels and
 * other hash tables were no faster.
 */
export const compiling = (nodes, commands, verifier) =>
  `spin -a -DN=${nodes} -DR=${commands} model.pml && gcc -O3 -w -DSAFETY -DNOREDUCE -DNOFAIR -o ${verifier} pan.c`;

/** Copies the model into `folder`. False, with a note, where SPIN or gcc is missing. */
export function hasSpin(folder, note) {
  copyFileSync(new URL('./ricart-agrawala.pml', import.meta.url), join(folder, 'model.pml'));
  const isThere = isInstalled('spin', '-V') && isInstalled('gcc', '--version');
  if (!isThere) note('SPIN left out: it or gcc is not installed. Try apt-get install spin gcc.');
  return isThere;
}

/** Compiles the model. Returns the tool to measure. */
export function spin(folder, nodes, commands) {
  const verifier = `./pan-${nodes}-${commands}`;
  execFileSync('sh', ['-c', compiling(nodes, commands, verifier)], { cwd: folder });
  const measure = async () => {
    const size = commands > 2 ? '-w24' : '-w22';
    const { stdout, seconds } = await run(verifier, ['-m10000', size], { cwd: folder });
    const number = (pattern) => Number(pattern.exec(stdout)?.[1] ?? Number.NaN);
    if (number(/errors: (\d+)/) !== 0) throw new Error(`SPIN reports:\n${stdout}`);
    return {
      states: number(/(\d+) states, stored/),
      // SPIN counts the step into the initial state
      transitions: number(/(\d+) transitions \(=/) - 1,
      seconds: number(/elapsed time ([\d.]+) seconds/),
      process: seconds,
      peak: number(/([\d.]+)\s+total actual memory usage/),
    };
  };
  return { name: 'SPIN', measure };
}
