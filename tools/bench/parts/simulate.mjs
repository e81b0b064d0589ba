/**
 * The speed of the simulation. For comparison, the same process sends the same events to the same
 * number of actors of the same machine by bare `actor.send`, without a network; at a million nodes,
 * whose actors take 4 GB, it does not.
 */
import { freemem } from 'node:os';
import { figure, measured, rowsInTurns } from '../measured.mjs';

export function measure({ runs, quick, note, ...context }) {
  const systems = [
    { name: 'B3, ring of 1,000', args: ['ring', 1_000] },
    { name: 'B3, ring of 100,000', args: ['ring', 100_000] },
    ...(quick ? [] : [{ name: 'B3, ring of 1,000,000', args: ['ring', 1_000_000, 'alone'] }]),
    { name: 'A3, 50 nodes under load', args: ['lock', 50] },
  ];
  const flags = ['--expose-gc', `--max-old-space-size=${Math.floor((freemem() / 2 ** 20) * 0.8)}`];
  const tools = systems.map(({ name, args }) => ({
    name,
    runs,
    measure: () => measured('simulate.run.mjs', args, flags),
  }));
  return rowsInTurns(tools, context, (system, found) => {
    const of = (pick) => figure(found.map(pick));
    const { delivered, bare, host } = found[0];
    if (host && system === tools[0].name) note(`Which host ran: ${host}.`);
    const beside = bare !== undefined && {
      'actor.send, µs': of((one) => (1e6 * one.bare) / one.delivered),
      'actor.send ÷ ours': of((one) => one.bare / one.simulated),
    };
    return {
      system,
      tool: 'simulate',
      messages: delivered,
      figures: {
        'µs a message': of((one) => (1e6 * one.simulated) / one.delivered),
        'messages a second': of((one) => one.delivered / one.simulated),
        ...beside,
        MB: of(({ peak }) => peak),
      },
    };
  });
}
