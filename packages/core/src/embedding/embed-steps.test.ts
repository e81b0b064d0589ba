import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMachine, type InspectionEvent, log } from 'xstate';
import { randomProtocol } from '../exploration/fixtures/random-protocol.contract.js';
import { NodeActor } from '../protocol/actor.js';
import { liveNode } from '../protocol/compiled/compiled-node.js';
import { tiny, withMachine } from '../protocol/examples.contract.js';
import type { Protocol } from '../protocol/protocol.js';
import { complete } from '../topology/generators.js';
import { ball } from './ball.contract.js';
import { embed } from './embed.js';
import type { Embedded, EmbedOptions } from './embedded.js';
import { handStepped } from './memory.js';
import { wallClock } from './wall-clock.js';

const nodes = ['a', 'b', 'c'];

/** What is seen of three nodes: their journals, errors, states, timers and messages. */
function seen(
  protocol: Protocol,
  choices: readonly number[],
  options: Pick<EmbedOptions, 'inspect'>,
): readonly string[] {
  const lines: string[] = [];
  const network = handStepped(nodes);
  const noteError = (error: unknown) => void lines.push(String(error));
  let draws = 0;
  const made: Embedded[] = nodes.map((self) => {
    const journal = { append: (line: string) => void lines.push(line), close: async () => {} };
    return embed(protocol, {
      ...options,
      self,
      topology: complete(nodes),
      transport: network.transport(self),
      clock: network.clock(self),
      incarnation: 1,
      journal,
      onError: noteError,
      choose: (offered) => offered[draws++ % offered.length] ?? null,
    });
  });
  for (const node of made) {
    node.notifications$.subscribe((told) => lines.push(JSON.stringify(told)));
    node.state$.subscribe(({ value, context, tags }) =>
      lines.push(JSON.stringify([value, context, [...tags].sort()])),
    );
  }
  for (const choice of choices) {
    const enabled = [
      ...made.flatMap((node) => [() => node.send({ type: 'go' })]),
      ...network.inFlight.map(
        ({ from, to }) =>
          () =>
            network.deliver(from, to),
      ),
      ...nodes.flatMap((id) => network.timers(id).map((timer) => () => network.fire(id, timer))),
    ];
    try {
      enabled[choice % enabled.length]?.();
    } catch (error) {
      noteError(error);
    }
    lines.push(JSON.stringify([network.inFlight, ...nodes.map((id) => network.timers(id))]));
  }
  return lines;
}

it('a node on compiled steps does what an XState actor does, on random protocols', () => {
  let count = 0;
  const equal = fc.property(
    randomProtocol,
    fc.array(fc.nat(1000), { minLength: 8, maxLength: 24 }),
    (protocol, choices) => {
      const events: InspectionEvent[] = [];
      const byActor = seen(protocol, choices, { inspect: (event) => events.push(event) });
      const byPlan = seen(protocol, choices, {});
      expect(byPlan).toEqual(byActor);
      expect(events.length).toBeGreaterThan(0);
      count += byPlan.length;
    },
  );
  fc.assert(equal, { numRuns: 12 });
  expect(count).toBeGreaterThan(200);
});

it('an inspected node shows the events of XState', () => {
  const events: string[] = [];
  const network = handStepped(['a', 'b']);
  const a = embed(ball, {
    self: 'a',
    peers: ['b'],
    transport: network.transport('a'),
    inspect: ({ type, ...event }) =>
      void events.push('event' in event ? `${type} ${event.event.type}` : type),
  });
  a.send({ type: 'throw' });
  expect(events).toContain('@xstate.event throw');
});

it.each([
  ['is compiled runs on compiled steps', {}, false],
  ['logs runs as an actor, since compiled steps do not', { actions: log('named') }, true],
  ['has an action of its own runs as an actor', { actions: () => {} }, true],
])('a machine that %s', (_what, name, isActor) => {
  const protocol = withMachine(tiny(createMachine({})), createMachine({ on: { name } }));
  const host = { clock: wallClock, stepped: () => {}, choose: () => null };
  const made = liveNode(protocol, complete(nodes), 'a', host);
  expect(made instanceof NodeActor).toBe(isActor);
});
