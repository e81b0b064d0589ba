/**
 * A message there and back between two processes over TCP: bare, and through `reliable`. CPU: of
 * both processes, for each message and side.
 */
import { fileURLToPath } from 'node:url';
import { figure, inTurns, measured } from '../measured.mjs';

const runner = fileURLToPath(new URL('./link.run.mjs', import.meta.url));
const ways = { bare: 'tcp', reliable: 'reliable over tcp' };

export async function measure({ runs, quick, ...context }) {
  const tools = [
    { name: 'link', runs, measure: () => measured(runner, [quick ? '500' : '20000']) },
  ];
  const [found] = await inTurns(tools, context);
  return Object.entries(ways).flatMap(([way, tool]) =>
    found.length === 0
      ? []
      : {
          system: '2 processes',
          tool,
          figures: {
            'round trip, µs': figure(found.map((one) => one[way].trip)),
            'CPU, µs': figure(found.map((one) => one[way].cpu)),
          },
        },
  );
}
