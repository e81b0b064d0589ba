/** One measurement of tools/bench/parts.mjs: prints the µs per step of each way as JSON. */

import { protocolOf } from '@conclave/algorithms';
import { compile } from '@conclave/core/protocol';
import { closedLoop, oneShot } from '@conclave/core/simulation';
import { topology as network } from '@conclave/core/topology';
import { createActor, initialTransition, transition } from 'xstate';
import { byPlan, byXState } from '../../../packages/core/dist/protocol/compiled/stepper.js';
import { recorded } from './recorded.mjs';

const protocol = protocolOf(process.argv[2]);
const isRing = protocol.name === 'lelann-chang-roberts';
const topology = isRing ? network('ring:1000:shuffled:1') : protocol.topology.example(16);
const workload = isRing
  ? oneShot({ type: 'elect' })
  : closedLoop({ entries: 40, think: { kind: 'exponential', mean: 20 } });

const events = recorded({
  ...{ protocol, topology, workload, properties: [], until: { steps: 1e9 }, seed: 1 },
  conditions: { order: protocol.channels.order, delay: { kind: 'exponential', mean: 10 } },
}).slice(0, 4_000);

const { machine, input } = protocol.roles.node;
const inputs = topology.nodes.map((id) => input(id, topology));
const compiled = compile(machine);
const actor = createActor(machine, { input: inputs[0] });
const ignore = () => {};
const scope = {
  self: actor,
  id: '',
  sessionId: '',
  system: actor.system,
  logger: ignore,
  defer: ignore,
  emit: ignore,
  stopChild: ignore,
};

function nodeSteps(stepper) {
  const states = topology.nodes.map((id, place) => stepper.start(machine, id, inputs[place]).state);
  return (place, event) => {
    states[place] = stepper.step(machine, topology.nodes[place], states[place], event).state;
  };
}

/** Each way: the first states of all nodes, then a function that takes one step of one node. */
const ways = {
  compiled: () => {
    const states = inputs.map((given) => compiled.start(given).state);
    return (place, event) => {
      states[place] = compiled.step(states[place], event).state;
    };
  },
  byPlan: () => nodeSteps(byPlan),
  byXState: () => nodeSteps(byXState),
  machine: () => {
    const states = inputs.map((given) => initialTransition(machine, given)[0]);
    return (place, event) => {
      states[place] = machine.transition(states[place], event, {
        ...scope,
        actionExecutor: ignore,
      });
    };
  },
  transition: () => {
    const states = inputs.map((given) => initialTransition(machine, given)[0]);
    return (place, event) => {
      states[place] = transition(machine, states[place], event)[0];
    };
  },
  actor: () => {
    const actors = inputs.map((given) => createActor(machine, { input: given }).start());
    return (place, event) => actors[place].send(event);
  },
};

/**
 * The shortest µs per step of each way, the states of the nodes renewed for each round; rounds
 * alternate, so that a busy moment hits all.
 */
function measure() {
  const least = Object.fromEntries(
    Object.keys(ways).map((name) => [name, Number.POSITIVE_INFINITY]),
  );
  for (let round = 0; round < 12; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const take = way();
      globalThis.gc();
      const begin = process.hrtime.bigint();
      for (const [place, event] of events) take(place, event);
      const spent = Number(process.hrtime.bigint() - begin) / 1e3;
      least[name] = Math.min(least[name], spent / events.length);
    }
  }
  return least;
}

console.log(JSON.stringify({ title: protocol.title, events: events.length, ...measure() }));
