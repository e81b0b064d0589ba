import { explore, model, testModel } from '@conclave/check';
import { matchers } from '@conclave/check/vitest';
import { oneShot, simulate } from '@conclave/core/simulation';
import { star } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { TestModel } from 'xstate/graph';
import { distinctNumbers, protocol } from './ticket-office.js';

expect.extend(matchers);

describe('ticket-office', () => {
  it('holds in every interleaving of an office with two customers, each of which draws up to two numbers', () => {
    expect(explore(protocol, star(3), { commands: 2 })).toHold();
  });

  it('never gives a number twice, even when a node crashes and restarts', () => {
    const { properties } = explore(protocol, star(3), { commands: 2, crashes: 1, restarts: 1 });
    expect(properties.find(({ name }) => name === distinctNumbers.name)).toMatchObject({
      verdict: 'holds',
    });
  });

  // Break what the protocol relies on, and see that a property notices it.
  it('gives a number twice when the office forgets the last one in a crash', () => {
    const roles = Object.fromEntries(
      Object.entries(protocol.roles).map(([name, role]) => [name, { ...role, stable: [] }]),
    );
    expect(explore({ ...protocol, roles }, star(3), { crashes: 1, restarts: 1 })).toViolate(
      distinctNumbers.name,
    );
  });

  it('lets a customer wait forever when a message is lost', () => {
    expect(explore(protocol, star(3), { losses: 1 })).toViolate(
      'every customer that wants a number eventually has one',
    );
  });

  // The nodes as an application embeds them, on every shortest path of the system.
  it('behaves as its model when it is embedded', async () => {
    const { comparisons } = await testModel(TestModel, model(protocol, star(3)));
    expect(comparisons).toBeGreaterThan(10);
  });

  it('takes two messages a number, in a simulation of seven customers', () => {
    const { messages } = simulate({
      protocol,
      topology: star(8),
      workload: oneShot({ type: 'want' }),
      seed: 1,
    });
    expect(messages).toEqual({ draw: 7, ticket: 7 });
  });
});
