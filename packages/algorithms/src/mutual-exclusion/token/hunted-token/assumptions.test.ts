import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { type Protocol, send } from '@conclave/core/protocol';
import { simulate } from '@conclave/core/simulation';
import { ring } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { enqueueActions } from 'xstate';
import { propertyNamed } from '../../../contract/findings.js';
import { withMachine, withoutSteps } from '../../../contract/mutant.js';
import { asSketched } from './as-sketched.contract.js';
import { machine } from './hunted-token.js';
import { huntedToken } from './protocol.js';

const plain = huntedToken();
const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

const names = {
  exclusion: 'at most one node is in the critical section',
  enters: 'every node that wants to enter eventually enters',
  token: 'there is exactly one token, in a node or on its way',
  quiescent: 'the token comes to rest: each request causes a bounded number of messages',
  handled: 'every message is handled or explicitly ignored',
  rest: 'no node waits in a quiescent state',
};

/** Of each property: the verdict, and the number of steps to a violation. */
function verdicts(protocol: Protocol, n: number, budget: ExploreOptions) {
  const { complete, states, properties } = explore(withoutSteps(protocol), ring(n), budget);
  expect(complete).toBe(true);
  const verdictOf = (name: string) => {
    const { verdict, trace } = propertyNamed(properties, name);
    if (verdict !== 'violated') return verdict;
    expect(trace && replay(protocol, ring(n), trace)).toEqual({ steps: trace?.lines.length });
    return `violated in ${trace?.lines.length}`;
  };
  const found = Object.fromEntries(
    Object.entries(names).map(([short, name]) => [short, verdictOf(name)]),
  );
  return {
    found: { states, ...found },
    text: (name: string) => linesText(propertyNamed(properties, name).trace?.lines ?? []),
  };
}
const allHold = Object.fromEntries(Object.keys(names).map((name) => [name, 'holds']));

describe('hunted-token as sketched', () => {
  const sketch = withMachine(plain, asSketched);

  it('is right among two nodes, if no message overtakes', () => {
    expect(verdicts(sketch, 2, { order: 'fifo', commands: 3 }).found).toEqual({
      ...allHold,
      states: 193,
    });
  });

  it('forgets a node that hunts from behind another one', () => {
    const { found, text } = verdicts(sketch, 3, { order: 'fifo' });
    expect(found).toEqual({
      ...allHold,
      states: 125,
      enters: 'violated in 6',
      rest: 'violated in 8',
    });
    expect(page).toContain(text(names.enters));
  });
});

describe('hunted-token assumptions', () => {
  const unnumbered = withMachine(
    plain,
    machine.provide({ guards: { tokenIsComing: () => false } }),
  );

  proof.each([
    [2, 2, 74],
    [3, 2, 1_809],
    [4, 1, 1_380],
  ])(
    'without the hop count it is right among %i nodes with %i entries each, if no message overtakes',
    (n, commands, states) => {
      expect(verdicts(unnumbered, n, { order: 'fifo', commands }).found).toEqual({
        ...allHold,
        states,
      });
    },
  );

  it.each([
    [2, 23, 6, 6],
    [3, 325, 7, 9],
    [4, 7168, 8, 12],
  ])(
    'without the hop count, a hunt that overtakes the token is lost among %i nodes',
    (n, states, starves, rest) => {
      const { found, text } = verdicts(unnumbered, n, { order: 'any' });
      expect(found).toEqual({
        ...allHold,
        states,
        enters: `violated in ${starves}`,
        rest: `violated in ${rest}`,
      });
      if (n === 2) expect(page).toContain(text(names.enters));
    },
  );

  it.each([
    [2, 32, 4],
    [3, 499, 6],
  ])('one lost message among %i nodes breaks liveness, not safety', (n, states, rest) => {
    expect(verdicts(plain, n, { losses: 1 }).found).toEqual({
      ...allHold,
      states,
      enters: 'violated in 2',
      token: 'violated in 3',
      rest: `violated in ${rest}`,
    });
  });

  it('a duplicated token lets in two nodes', () => {
    const { found, text } = verdicts(plain, 3, { duplications: 1 });
    expect(found).toMatchObject({
      states: 3_813,
      exclusion: 'violated in 7',
      token: 'violated in 3',
      handled: 'violated in 5',
    });
    expect(page).toContain(text(names.exclusion));
  });

  it.each([
    [2, 2, 1_534],
    [3, 1, 5_620],
  ])(
    'a node may send two hunts at once: all properties hold among %i nodes with %i entries each',
    (n, commands, states) => {
      const twice = machine.provide({
        actions: {
          hunt: enqueueActions(({ context: { next, hop }, event, enqueue }) => {
            const times = event.type === 'acquire' ? 2 : 1;
            for (let i = 0; i < times; i++) enqueue.emit(send(next, { type: 'hunt', hop }));
          }),
        },
      });
      expect(verdicts(withMachine(plain, twice), n, { commands }).found).toEqual({
        ...allHold,
        states,
      });
    },
  );

  it.each([
    [2, 84, 4],
    [3, 1_391, 6],
  ])(
    'no node may crash among %i, not even one that does not request entry: neither hunt nor token passes it',
    (n, states, rest) => {
      expect(verdicts(plain, n, { crashes: 1 }).found).toEqual({
        ...allHold,
        states,
        enters: 'violated in 2',
        token: 'violated in 1',
        rest: `violated in ${rest}`,
      });
    },
  );

  proof('the first holder must not restart: it would start as the holder again', () => {
    expect(verdicts(plain, 3, { crashes: 1, restarts: 1 }).found).toMatchObject({
      states: 3_214,
      exclusion: 'violated in 7',
      token: 'violated in 1',
    });
  });

  it('a reliable link cannot help: it needs a channel back', () => {
    expect(() => simulate({ protocol: plain, topology: ring(5), reliable: true })).toThrow(
      /needs channels both ways, and a→b has none back/,
    );
  });
});
