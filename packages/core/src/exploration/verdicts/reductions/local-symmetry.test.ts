/** A declared symmetry is checked on all local steps, rarely reached ones included. */
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign, enqueueActions, setup } from 'xstate';
import { centralLock, type Self, selfAndPeers, tiny } from '../../../protocol/examples.contract.js';
import {
  type Chosen,
  choose,
  type Effect,
  type NodeId,
  type Received,
  send,
} from '../../../protocol/node.js';
import { type NodeView, never } from '../../../protocol/property.js';
import { star } from '../../../topology/generators.js';
import * as needs from '../../../topology/needs.js';
import { explore } from '../../explore/explore.js';
import type { ExploreOptions } from '../../explore/options.js';
import { verdicts } from '../../fixtures/explored.contract.js';
import { leavesAlike, unfair } from '../../fixtures/symmetric.contract.js';
import { lock } from '../../fixtures/symmetric-systems.contract.js';

// A centre that records its visitors, and turns red when they come in one particular order.

interface Book extends Self {
  readonly came: readonly NodeId[];
  readonly red: boolean;
}

const scribe = (red: string) => {
  const writing = setup({
    types: {} as {
      input: Self;
      context: Book;
      events: { type: 'go' } | Received<{ type: 'hint' }>;
      emitted: Effect<{ type: 'hint' }>;
    },
    actions: {
      come: enqueueActions(({ context, enqueue }) =>
        enqueue.emit(send(context.peers[0] ?? '', { type: 'hint' })),
      ),
      write: assign(({ context, event }) => {
        assertEvent(event, 'hint');
        const came = [...context.came, event.from];
        return { came, red: came.join('') === red };
      }),
    },
    guards: { isLeaf: ({ context }) => context.peers.length === 1 },
  }).createMachine({
    context: ({ input }) => ({
      ...input,
      peers: input.peers.length === 1 ? input.peers : [],
      came: [],
      red: false,
    }),
    on: {
      go: [{ guard: ({ context }) => context.peers.length === 1, actions: 'come' }, {}],
      hint: { actions: 'write' },
    },
  });
  return tiny(writing, {
    name: 'scribe',
    topology: needs.star,
    roleOf: (node, topology) => (node === topology.nodes[0] ? 'scribe' : 'guest'),
    roles: {
      scribe: { machine: writing, input: selfAndPeers },
      guest: { machine: writing, input: selfAndPeers },
    },
    messages: { hint: { meaning: 'I am here' } },
    commands: { go: { kind: 'optional', meaning: 'come' } },
    symmetry: leavesAlike,
  });
};

describe('a symmetry that fails in one local state', () => {
  const calm = never('it is red', ({ nodes }) => nodes.some(({ context }) => context.red === true));
  const options: ExploreOptions = {
    commands: 2,
    initiators: ['b', 'c', 'd', 'e'],
    properties: [calm],
  };
  const red = scribe('ecbdebdc');

  proof('is refused, though no sample reaches it', () => {
    expect(verdicts(explore(red, star(5), options))[0]).toBe('violated');
    expect(() => explore(red, star(5), { ...options, reduce: 'symmetry' })).toThrow(
      /^Protocol 'scribe' on 'star:5': renaming .* changes what can happen. In .*"hint".* is possible with another outcome: state.context.red/,
    );
  });

  it('is refused early, also where a limit ends the search', () => {
    const found = () =>
      explore(unfair(centralLock), star(5), {
        commands: 3,
        reduce: 'symmetry',
        limits: { states: 300 },
      });
    expect(found).toThrow("Protocol 'unfair-lock' on 'star:5': renaming");
    const lawful = explore(lock, star(5), {
      commands: 3,
      reduce: 'symmetry',
      limits: { states: 300 },
    });
    expect(lawful).toMatchObject({ complete: false, limit: 'states' });
  });

  proof('is accepted if it fails only in unreachable states', () => {
    expect(verdicts(explore(scribe('bbb'), star(5), { ...options, reduce: 'symmetry' }))[0]).toBe(
      'holds',
    ); // no state is red
  });

  it('is refused where only one node accepts a command', () => {
    const leaf = setup({
      types: {} as { input: Self; context: Self; events: { type: 'go' } },
    }).createMachine({
      context: ({ input }) => input,
      on: { go: { guard: ({ context }) => context.self === 'b', actions: [] } },
    });
    const picky = tiny(leaf, {
      name: 'picky',
      topology: needs.star,
      commands: { go: { kind: 'optional', meaning: 'go' } },
      symmetry: leavesAlike,
    });
    expect(() => explore(picky, star(3), { reduce: 'symmetry' })).toThrow(
      /In \(c: .*\), {"type":"command","node":"c","command":{"type":"go"}} is not possible; in \(b: .*\), .* is possible. Remove it/,
    );
  });

  const talking = setup({
    types: {} as {
      input: Self;
      context: Self;
      events: { type: 'go' } | Chosen | Received<{ type: 'hint' }>;
      emitted: Effect<{ type: 'hint' }>;
    },
    actions: {
      tell: enqueueActions(({ context, enqueue }) => {
        for (const peer of context.peers) enqueue.emit(send(peer, { type: 'hint' }));
      }),
      ask: enqueueActions(({ enqueue }) => enqueue.emit(choose('b', 'c'))),
    },
    guards: {
      isB: ({ context }) => context.self === 'b',
      isCentre: ({ context }) => context.peers.length > 1,
    },
  });

  it.each([
    [
      'only one node handles a message',
      talking.createMachine({
        context: ({ input }) => input,
        on: {
          go: [{ guard: 'isCentre', actions: 'tell' }, {}],
          hint: { guard: 'isB', actions: [] },
        },
      }),
      /In \(c: .*"to":"c",.*} fails; in \(b: .*"to":"b",.*} is possible\. Remove/,
    ],
    [
      'a choice lists nodes in their order',
      talking.createMachine({
        context: ({ input }) => input,
        on: { go: { actions: 'ask' }, chosen: {}, hint: {} },
      }),
      /is possible with another outcome: choices.0.options.0 . instead of .\. Remove/,
    ],
  ])('is refused where %s', (_name, machine, what) => {
    const picky = tiny(machine, {
      name: 'picky',
      topology: needs.star,
      messages: { hint: { meaning: 'hear' } },
      commands: { go: { kind: 'optional', meaning: 'go' } },
      symmetry: leavesAlike,
    });
    expect(() => explore(picky, star(3), { reduce: 'symmetry' })).toThrow(what);
  });

  it('is refused where only one node may crash', () => {
    const mayCrash = ({ id }: NodeView) => id !== 'c';
    expect(() => explore(lock, star(3), { crashes: 1, mayCrash, reduce: 'symmetry' })).toThrow(
      /In \(c: .*\), {"type":"crash","node":"c"} is not possible; in \(b: .*\), {"type":"crash","node":"b"} is possible\. Remove/,
    );
    expect(verdicts(explore(lock, star(3), { mayCrash, reduce: 'symmetry' }))[0]).toBe('holds');
  });
});
