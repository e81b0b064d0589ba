import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import type { Protocol } from '@conclave/core/protocol';
import { send } from '@conclave/core/protocol';
import { simulate } from '@conclave/core/simulation';
import { ring } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { enqueueActions } from 'xstate';
import { withMachine } from '../../../contract/mutant.js';
import { withoutSteps } from '../../../contract/without-steps.js';
import { asSketched } from './as-sketched.contract.js';
import { machine } from './hunted-token.js';
import { huntedToken } from './protocol.js';

const plain = huntedToken();
const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

/** Of each property: the verdict, and how many steps lead to a violation. */
function verdicts(protocol: Protocol, n: number, budget: ExploreOptions) {
  const found = explore(withoutSteps(protocol), ring(n), budget);
  expect(found.complete).toBe(true);
  const [exclusion, enters, , token, , handled, rest] = found.properties.map(({ verdict, trace }) => {
    if (verdict === 'violated') expect(trace && replay(protocol, ring(n), trace)).toEqual({ steps: trace?.lines.length });
    return verdict === 'violated' ? `violated in ${trace?.lines.length}` : verdict;
  });
  const text = (place: number) => linesText(found.properties[place]?.trace?.lines ?? []);
  return { found: { states: found.states, exclusion, enters, token, handled, rest }, text };
}
const [exclusion, enters] = [0, 1];
const allHold = { exclusion: 'holds', enters: 'holds', token: 'holds', handled: 'holds', rest: 'holds' };

describe('hunted-token as sketched', () => {
  const sketch = withMachine(plain, asSketched);

  it('is right where there are two nodes, and nothing overtakes', () => {
    expect(verdicts(sketch, 2, { order: 'fifo', commands: 3 }).found).toEqual({ ...allHold, states: 193 });
  });

  it('forgets whoever hunts from behind another hunter', () => {
    const { found, text } = verdicts(sketch, 3, { order: 'fifo' });
    expect(found).toEqual({ ...allHold, states: 125, enters: 'violated in 6', rest: 'violated in 8' });
    expect(page).toContain(text(enters));
  });
});

describe('hunted-token assumptions', () => {
  const unnumbered = withMachine(plain, machine.provide({ guards: { tokenIsComing: () => false } }));

  it.each([
    [2, 2, 74],
    [3, 2, 1_809],
    [4, 1, 1_380],
  ])('Q6: without the numbers it is right among %i nodes with %i entries each if nothing overtakes', (n, commands, states) => {
    expect(verdicts(unnumbered, n, { order: 'fifo', commands }).found).toEqual({ ...allHold, states });
  });

  it.each([
    [2, 23, 6, 6],
    [3, 325, 7, 9],
    [4, 7168, 8, 12],
  ])('Q6: without them, a hunt that overtakes the token is lost among %i nodes', (n, states, starves, rest) => {
    const { found, text } = verdicts(unnumbered, n, { order: 'any' });
    expect(found).toEqual({ ...allHold, states, enters: `violated in ${starves}`, rest: `violated in ${rest}` });
    if (n === 2) expect(page).toContain(text(enters));
  });

  it.each([
    [2, 32, 4],
    [3, 499, 6],
  ])('one lost message among %i nodes breaks liveness, not safety', (n, states, rest) => {
    expect(verdicts(plain, n, { losses: 1 }).found).toEqual({
      states,
      exclusion: 'holds',
      enters: 'violated in 2',
      token: 'violated in 3',
      handled: 'holds',
      rest: `violated in ${rest}`,
    });
  });

  it('a token that comes twice lets in two', () => {
    const { found, text } = verdicts(plain, 3, { duplications: 1 });
    expect(found).toMatchObject({ states: 3_813, exclusion: 'violated in 7', token: 'violated in 3', handled: 'violated in 5' });
    expect(page).toContain(text(exclusion));
  });

  it.each([
    [2, 2, 1_534],
    [3, 1, 5_620],
  ])('whoever hunts may do so twice: all promises hold among %i nodes with %i entries each', (n, commands, states) => {
    const twice = machine.provide({
      actions: {
        hunt: enqueueActions(({ context: { next, hop }, event, enqueue }) => {
          const times = event.type === 'acquire' ? 2 : 1;
          for (let i = 0; i < times; i++) enqueue.emit(send(next, { type: 'hunt', hop }));
        }),
      },
    });
    expect(verdicts(withMachine(plain, twice), n, { commands }).found).toEqual({ ...allHold, states });
  });

  it.each([
    [2, 75, 3],
    [3, 1_237, 5],
  ])('no node may crash among %i, not even one that wants nothing: neither hunt nor token gets past it', (n, states, rest) => {
    expect(verdicts(plain, n, { crashes: 1 }).found).toEqual({
      states,
      exclusion: 'holds',
      enters: 'violated in 2',
      token: 'violated in 1',
      handled: 'holds',
      rest: `violated in ${rest}`,
    });
  });

  it('the node that had the token at first must not start again: it would take itself for the holder', () => {
    expect(verdicts(plain, 3, { crashes: 1, restarts: 1 }).found).toMatchObject({
      states: 2_993,
      exclusion: 'violated in 7',
      token: 'violated in 1',
    });
  });

  it('a reliable link cannot help: it would need a way back', () => {
    expect(() => simulate({ protocol: plain, topology: ring(5), reliable: true })).toThrow(
      /needs channels both ways, and a→b has none back/,
    );
  });
});
