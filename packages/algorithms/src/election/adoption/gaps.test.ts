/**
 * What the sketch in the literature leaves open. Each wrong way to fill a gap has a trace on the
 * page, the shortest one.
 */
import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { type NodeId, type Protocol, send } from '@conclave/core/protocol';
import { chain, complete, star, type Topology } from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign, emit, enqueueActions } from 'xstate';
import { propertyNamed } from '../../contract/findings.js';
import { withMachine, withoutSteps, withState } from '../../contract/mutant.js';
import { ignoringUnexpected } from '../../mutual-exclusion/ignoring-unexpected.contract.js';
import { handled, outcomeOf, quiescence } from '../../mutual-exclusion/outcome.contract.js';
import { labelledGraphs } from '../../mutual-exclusion/token/building-blocks/labelled-graphs.contract.js';
import { decision } from '../election.js';
import { type Context, machine } from './adoption.js';
import { adoption } from './protocol.js';

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const one = 'at most one node is the leader';
const known = 'every live node knows the one leader';

interface Asked {
  readonly context: Pick<Context, 'highest'>;
  readonly event: { readonly id?: NodeId };
}

/** The shortest trace that violates a property of all elections; the page must show it. */
function shortest(
  protocol: Protocol,
  topology: Topology,
  name: string,
  options: ExploreOptions = {},
): number | undefined {
  const { properties } = explore(withoutSteps({ ...protocol, properties: decision }), topology, {
    ...options,
    all: true,
  });
  const { verdict, trace } = propertyNamed(properties, name);
  expect(verdict).toBe('violated');
  expect(page).toContain(linesText(trace?.lines ?? []));
  return trace?.lines.length;
}

describe('gaps of the sketch', () => {
  const { exploring } = machine.config.states ?? {};

  it('[AD7] a smaller id that is sent back looks like an edge outside the tree: two leaders, in 9 steps', () => {
    const literal = machine.provide({
      actions: {
        answer: enqueueActions(({ context: { marks }, event, enqueue }) => {
          assertEvent(event, 'explorer');
          enqueue.emit(send(event.from, { type: 'explorer', id: event.id }));
          enqueue.assign({ marks: { ...marks, [event.from]: event.id } });
        }),
      },
    });
    expect(shortest(withMachine(adoption, literal), star(4), one)).toBe(9);
  });

  it('[AD2] a node that passes its first explorer on to its former parent only passes it on to none: not all know the leader, in 4 steps', () => {
    const literal = machine.provide({
      actions: {
        join: assign(({ context: { marks }, event }) => {
          assertEvent(event, 'explorer');
          return { highest: event.id, parent: event.from, marks, open: [] };
        }),
      },
    });
    expect(shortest(withMachine(adoption, literal), chain(3), known, { initiators: ['a'] })).toBe(
      4,
    );
  });

  it('[AD5] an adopted node that does not wait for its former parent sends its echo too early: 5 steps', () => {
    const hasty = machine.provide({
      actions: {
        adopt: enqueueActions(({ context: { parent, open, marks }, event, enqueue }) => {
          assertEvent(event, 'explorer');
          const { id, from } = event;
          if (parent !== null) enqueue.emit(send(parent, { type: 'explorer', id }));
          enqueue.assign({
            highest: id,
            parent: from,
            marks: parent === null ? marks : { ...marks, [parent]: id },
            open: open.filter((other) => other !== from),
          });
        }),
      },
    });
    expect(shortest(withMachine(adoption, hasty), chain(['b', 'a', 'c']), handled)).toBe(5);
  });

  it('[AD8] if only echoes of the own wave count, a node that is adopted in between waits forever: 6 steps', () => {
    const comparing = withState(
      machine.provide({
        actions: {
          echo: emit(({ context }) => ({
            ...send(context.parent ?? '', { type: 'echo' }),
            message: { type: 'echo', id: context.highest },
          })),
        },
      }),
      ['exploring'],
      { on: { ...exploring?.on, echo: [{ guard: 'same', actions: ['close', 'noteChild'] }, {}] } },
    );
    const guarded = comparing.provide({
      guards: { same: ({ context, event }: Asked) => event.id === context.highest },
    });
    const messages = {
      ...adoption.messages,
      echo: { fields: ['id'], meaning: 'the echo of the wave of `id`' },
    };
    const protocol = withMachine({ ...adoption, messages }, guarded);
    expect(shortest(protocol, chain(['b', 'a', 'c']), known, { initiators: ['a', 'b'] })).toBe(6);
  });

  it('[AD1] if a node that is awake may start a wave of its own, it waits forever: 8 steps', () => {
    const again = withState(machine, ['exploring'], {
      on: { ...exploring?.on, elect: { target: '.root', actions: ['initiate', 'explore'] } },
    });
    expect(shortest(withMachine(adoption, again), chain(['b', 'a', 'c']), quiescence)).toBe(8);
  });
});

describe('adoption assumptions', () => {
  proof.each([
    ['a lost message', { losses: 1 }, known, 4],
    ['a duplicated message', { duplications: 1 }, handled, 3],
    ['a crash', { crashes: 1 }, known, 2],
    ['a restart', { crashes: 1, restarts: 1 }, handled, 4],
  ])(
    '%s never makes two leaders on two nodes and on trees of three, and has this shortest run',
    (_what, budget, broken, steps) => {
      for (const topology of [
        chain(2),
        ...labelledGraphs(3).filter(({ links }) => links.length === 4),
      ])
        expect(outcomeOf(ignoringUnexpected(adoption), topology, budget).verdicts).toMatchObject({
          [one]: 'holds',
        });
      expect(outcomeOf(adoption, chain(2), budget).verdicts).toMatchObject({
        [broken]: `violated in ${steps}`,
      });
    },
  );

  it('the page shows the shortest run with a lost message', () => {
    expect(page).toContain(outcomeOf(adoption, chain(2), { losses: 1 }).traces[known]);
  });

  proof('a lost or duplicated message never makes two leaders on a triangle either', () => {
    for (const budget of [{ losses: 1 }, { duplications: 1 }])
      expect(outcomeOf(ignoringUnexpected(adoption), complete(3), budget).verdicts).toMatchObject({
        [one]: 'holds',
      });
  });
});
