/**
 * One measurement of tools/bench/parts.mjs: prints `{ delivered, simulated, bare, peak, host }`,
 * seconds and MB, as JSON. With `alone`, without `bare`, the time of bare actors.
 */

import { setFlagsFromString } from 'node:v8';
import { lelannChangRoberts, ricartAgrawala } from '@conclave/algorithms';
import { closedLoop, oneShot, Simulation } from '@conclave/core/simulation';
import { complete, topology as network } from '@conclave/core/topology';
import { createActor } from 'xstate';
import { recorded } from './recorded.mjs';

const [kind, size, alone] = [process.argv[2], Number(process.argv[3]), process.argv[4] === 'alone'];
if (size >= 100_000) setFlagsFromString('--heap-growing-percent=60'); // as `conclave simulate` does
const systems = {
  ring: () => ({
    protocol: lelannChangRoberts,
    topology: network(`ring:${size}:shuffled:1`),
    workload: oneShot({ type: 'elect' }),
  }),
  lock: () => ({
    protocol: ricartAgrawala,
    topology: complete(size),
    workload: closedLoop({ entries: 20, think: { kind: 'exponential', mean: 20 } }),
  }),
};
const { protocol, topology, workload } = systems[kind]();
const options = {
  protocol,
  topology,
  workload,
  conditions: { order: 'any', delay: { kind: 'exponential', mean: 10 } },
  properties: [],
  until: { steps: 1e9 },
};

const seconds = (work) => {
  globalThis.gc();
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1e9;
};

// Warms up the compiler before the measurement.
for (let seed = 1; seed <= 3; seed++)
  new Simulation({
    ...options,
    topology: kind === 'ring' ? network(`ring:1000:shuffled:${seed}`) : complete(20),
    workload: systems[kind]().workload,
    seed,
  }).run();

/** A run of a small system takes milliseconds: it is repeated, by new nodes. */
const repeats = Math.max(1, Math.round(700_000 / (kind === 'ring' ? 7 * size : 2_000 * size)));
const repeated = (prepare) => {
  let total = 0;
  for (let count = 0; count < repeats; count++) total += seconds(prepare());
  return total / repeats;
};

// The timed simulation, without subscribers.
let result;
const simulated = repeated(() => {
  const simulation = new Simulation({ ...options, workload: systems[kind]().workload });
  return () => {
    result = simulation.run();
  };
});
const peak = process.resourceUsage().maxRSS / 1024;

/** The seconds of bare actors that get the events of the nodes of the same run. */
function bareSeconds() {
  const events = recorded({ ...options, workload });
  const { machine, input } = protocol.roles.node;
  return repeated(() => {
    const actors = topology.nodes.map((id) => createActor(machine, { input: input(id, topology) }));
    return () => {
      for (const actor of actors) actor.start();
      for (const [place, event] of events) actors[place].send(event);
    };
  });
}

const bare = alone ? {} : { bare: bareSeconds() };
console.log(
  JSON.stringify({
    delivered: result.delivered,
    simulated,
    ...bare,
    peak,
    ...(result.host ? { host: result.host } : {}),
  }),
);
