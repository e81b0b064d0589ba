import { faults } from '@conclave/core/internal';
import type { Command } from 'commander';
import { beyondAssumptions } from '../input/environment.js';
import { declare } from '../input/options.js';
import { protocolMeaning } from '../input/protocol.js';
import { requireWritable } from '../output/files.js';
import { remark, type Session } from '../session.js';
import { simulateMany } from '../simulating/many-runs.js';
import { simulateOnce } from '../simulating/one-run.js';
import { requireOneOrMany, simulated, simulateOptions } from '../simulating/system.js';

const help = `Defaults:
  --topology  five nodes in the shape that the protocol needs (a connected network of
              another shape gets an overlay of that shape)
  --delay     geo where the network has link delays, otherwise fixed:1
  --order     fifo, as over TCP
  ${faults.channelFaultRows.map(({ option }) => `--${option}`).join(', ')}  0

Networks:
  ring:8  ring:8:shuffled:SEED  two-way-ring:8  complete:5  chain:5  star:5  tree:2:15
  random-tree:12  grid:3x4  torus:3x4  hypercube:3  random:20:0.2  abilene  nsfnet  geant
  edges:a-b,b-c  ring-over:abilene  file:PATH (an edge a line: a b delayMs)
Delays in ms:
  fixed:5  uniform:10:50  exponential:20  normal:20:5  geo  geo+uniform:0:5
Traces:
  FILE.svg a space-time diagram, FILE.animated.svg one that moves, FILE.mmd a Mermaid sequence
  diagram, FILE.shiviz a ShiViz log, any other the text that \`conclave replay\` reads
Many runs:
  --seeds 1..1000 prints quantiles of the figures, by nearest rank: the 5 % quantile is the
  least value that at least 5 % of the values do not exceed. Messages, virtual time and hand-over
  (the mean synchronisation delay) have a value a run, wait has a value an entry.
  Exit code 1 where any run violates a property.

Examples:
  conclave simulate ricart-agrawala --topology abilene --entries 3 --order any
  conclave simulate B3 --topology ring:8:shuffled:1 --delay uniform:10:50 --trace run.svg
  conclave simulate A2 --order any --delay uniform:1:20 --seeds 1..1000 --workers 4`;

const description = {
  name: 'simulate',
  description: 'run a protocol on a virtual network',
  argument: ['protocol', protocolMeaning] as const,
  options: simulateOptions,
  help,
};

/**
 * `conclave simulate`: one run on a virtual network, or one for each of many seeds, and what they
 * showed.
 */
export const simulateCommand = (program: Command, session: Session): void =>
  declare(program, description, async (options, name) => {
    requireOneOrMany(options);
    const system = await simulated(name, options);
    requireWritable(options);
    const { protocol, conditions } = system.options;
    const given = beyondAssumptions(protocol, conditions.order, (row) => conditions[row.tolerance]);
    remark(session, system.note, given);
    if (options.seeds)
      await simulateMany(session, name, system, { ...options, seeds: options.seeds });
    else simulateOnce(session, name, system, options);
  });
