/** Sessions, ports and journals of nodes with names that are easily taken for something else. */

import { conform } from '@conclave/check/conform';
import { expect, it } from 'vitest';
import { topology } from '../topology/parse.js';
import { ballOver } from './ball.contract.js';
import { embed } from './embed.js';
import { handStepped } from './memory.js';
import { portsBetween } from './message-port.js';
import { Processes } from './processes.contract.js';
import { Session } from './session.js';

const nodes = ['10', '9', 'constructor', '__proto__', '😀', 'long'.repeat(100)];

it('a session admits the nodes, carries their messages, and refuses one that comes back', async () => {
  const medium = new Processes({});
  const start = (self: string, incarnation: number) =>
    new Session(medium.start(self).transport, { nodes, terms: { protocol: 'ball' }, incarnation });
  const sessions = nodes.map((self, index) => start(self, 1000 + index));
  await Promise.all(sessions.map(({ admitted }) => admitted));
  const received: string[] = [];
  for (const one of sessions)
    one.received$.subscribe(({ from }) => received.push(`${from} to ${one.self}`));
  const pairs = sessions.flatMap((one) =>
    nodes.filter((to) => to !== one.self).map((to) => ({ one, to })),
  );
  for (const { one, to } of pairs) one.send(to, { type: 'ball' });
  await medium.quiet();
  expect(received.toSorted()).toEqual(pairs.map(({ one, to }) => `${one.self} to ${to}`).sort());
  expect(() => sessions[0]?.send('toString', { type: 'ball' })).toThrow(
    "Node 10 has no session with 'toString'",
  );
  await expect(start('constructor', 2000).admitted).rejects.toThrow(
    /Incarnation 2000 of node constructor is refused by .*: it has started/,
  );
});

it('ports between all nodes', () => {
  const ports = portsBetween(nodes);
  for (const self of nodes) {
    const own = Object.getOwnPropertyDescriptor(ports, self)?.value;
    expect(Object.keys(own).sort()).toEqual(nodes.filter((id) => id !== self).sort());
    for (const port of Object.values<{ close(): void }>(own)) port.close();
  }
});

it.each([
  ['10', '9'],
  ['constructor', '__proto__'],
  ['😀', 'from:%2C'],
])('journals of %s and %s are read back, and conform', async (first, second) => {
  const ball = ballOver({ order: 'fifo', loss: false, duplication: false });
  const network = handStepped([first, second]);
  const spec = `complete:${first},${second}`;
  const journals = [first, second].map((self) => {
    const lines: string[] = [];
    const journal = { append: (line: string) => void lines.push(line), close: async () => {} };
    const given = {
      self,
      topology: topology(spec),
      transport: network.transport(self),
      clock: network.clock(self),
    };
    return { lines, node: embed(ball, { ...given, journal, incarnation: 1 }) };
  });
  journals[0]?.node.send({ type: 'throw' });
  network.deliver(first, second);
  for (const { node } of journals) await node.close();
  const sources = journals.map(({ lines }, index) => ({
    name: `${index}`,
    text: `${lines.join('\n')}\n`,
  }));
  expect(conform(ball, topology(spec), sources)).toMatchObject({
    verdict: 'conforms',
    complaints: [],
    steps: 4,
  });
});
