/**
 * The speed of the simulation. For comparison, the same process sends the same events to the same
 * number of actors of the same machine by bare `actor.send`, without a network; at a million nodes,
 * whose actors take 4 GB, it does not.
 */
import { freemem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { figure, inTurns, measured } from '../measured.mjs';

const runner = fileURLToPath(new URL('./simulate.run.mjs', import.meta.url));

export async function measure({ runs, quick, note, ...context }) {
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
    measure: () => measured(runner, args, flags),
  }));
  const results = await inTurns(tools, context);
  if (results[0]?.[0]?.host) note(`Which host ran: ${results[0][0].host}.`);
  return results.flatMap((found, index) => {
    if (found.length === 0) return [];
    const of = (pick) => figure(found.map(pick));
    const { delivered, bare } = found[0];
    return {
      system: systems[index].name,
      tool: 'simulate',
      messages: delivered,
      figures: {
        'µs a message': of((one) => (1e6 * one.simulated) / one.delivered),
        'messages a second': of((one) => one.delivered / one.simulated),
        ...(bare === undefined
          ? {}
          : {
              'actor.send, µs': of((one) => (1e6 * one.bare) / one.delivered),
              'actor.send ÷ ours': of((one) => one.bare / one.simulated),
            }),
        MB: of(({ peak }) => peak),
      },
    };
  });
}
