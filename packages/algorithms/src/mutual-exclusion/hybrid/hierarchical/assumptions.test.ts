import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { increases, type Protocol } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { ofWholes } from '../../../contract/without-steps.js';
import { centralCoordinator } from '../../central/central-coordinator/protocol.js';
import { ignoringUnexpected } from '../../ignoring-unexpected.contract.js';
import { properties } from '../../mutual-exclusion.js';
import { lamport } from '../../permission/lamport/protocol.js';
import { ricartAgrawalaAcknowledged } from '../../permission/ricart-agrawala/protocol.js';
import { raymond } from '../../token/raymond/protocol.js';
import { hierarchical } from './protocol.js';

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const ring = hierarchical();
const central = hierarchical({ within: centralCoordinator(), between: raymond() });

/** By promise: its verdict, and where it is violated the length of the shortest run, which nodes go; and these runs. */
function found(protocol: Protocol, n: number, budget: ExploreOptions) {
  const topology = complete(n);
  const promised = ofWholes(protocol.properties).slice(0, ofWholes(properties).length + 1);
  const { complete: whole, states, properties: all } = explore(protocol, topology, { ...budget, properties: promised });
  expect(whole).toBe(true);
  const [exclusion, enters, , fence] = all.map(({ verdict, trace }) => {
    if (verdict !== 'violated') return verdict;
    expect(trace && replay(protocol, topology, trace)).toEqual({ steps: trace?.lines.length });
    return trace?.lines.length;
  });
  return { verdicts: { states, exclusion, enters, fence }, runs: all.map(({ trace }) => linesText(trace?.lines ?? [])) };
}

describe('hierarchical assumptions', () => {
  it('a lost message, whichever, is a matter of waiting only', () => {
    expect(found(ring, 4, { losses: 1 }).verdicts).toEqual({ states: 9_652, exclusion: 'holds', enters: 10, fence: 'holds' });
    expect(found(central, 6, { losses: 1 }).verdicts).toEqual({ states: 18_512, exclusion: 'holds', enters: 2, fence: 'holds' });
  });

  it('a crashed node, too: a representative that crashes locks out its cluster', () => {
    expect(found(ring, 4, { crashes: 1 }).verdicts).toEqual({ states: 29_126, exclusion: 'holds', enters: 7, fence: 'holds' });
    expect(found(central, 6, { crashes: 1 }).verdicts).toEqual({ states: 57_158, exclusion: 'holds', enters: 2, fence: 'holds' });
  });

  it('a representative that starts again has forgotten whom it has admitted', () => {
    const budget = { crashes: 1, restarts: 1, initiators: ['b', 'd'] };
    const { verdicts, runs } = found(ignoringUnexpected(central), 4, budget);
    expect(verdicts).toEqual({ states: 1_662, exclusion: 14, enters: 2, fence: 14 });
    expect(page).toContain(runs[0]);
  });

  it('a part that starts again knows what it has on stable storage: a coordinator gives no number twice', () => {
    const granted = increases('what a coordinator grants to b', ({ id, context }) =>
      id === 'b' ? Object(context.within).entry || undefined : undefined,
    );
    const budget = { crashes: 1, restarts: 1, initiators: ['b'], commands: 2, properties: [granted] };
    const verdictOf = (protocol: Protocol) => explore(protocol, complete(4), budget).properties[0]?.verdict;
    expect(verdictOf(ignoringUnexpected(central))).toBe('holds');
    const roles = Object.entries(central.roles).map(([name, role]) => [name, { ...role, stable: [] }]);
    expect(verdictOf(ignoringUnexpected({ ...central, roles: Object.fromEntries(roles) }))).toBe('violated');
  });

  it('a doubled message lets in two', () => {
    const { verdicts } = found(ignoringUnexpected(central), 4, { duplications: 1, commands: 2 });
    expect(verdicts).toEqual({ states: 24_324, exclusion: 20, enters: 13, fence: 12 });
  });

  it('what a part needs of its channels, the whole needs', () => {
    const fragile = hierarchical({ between: lamport });
    expect(fragile.channels.order).toBe('fifo');
    const budget = { initiators: ['b', 'd'] };
    expect(found(fragile, 4, budget).verdicts).toEqual({ states: 344, exclusion: 'holds', enters: 'holds', fence: 'holds' });
    expect(found(ignoringUnexpected(fragile), 4, { ...budget, order: 'any' }).verdicts).toEqual({
      states: 1_665,
      exclusion: 12,
      enters: 'holds',
      fence: 12,
    });
  });

  it('a part that goes by time-outs needs bounded time, and so does the whole', () => {
    const timed = hierarchical({ within: centralCoordinator(), between: ricartAgrawalaAcknowledged() });
    expect(timed.channels.time).toBe('bounded');
    expect(hierarchical({ within: timed }).channels.time).toBe('bounded');
    expect(ring.channels.time).toBeUndefined();
    const budget = { initiators: ['b', 'd'] };
    expect(found(timed, 4, { ...budget, time: 'bounded' }).verdicts).toEqual({
      states: 466,
      exclusion: 'holds',
      enters: 'holds',
      fence: 'holds',
    });
    expect(found(timed, 4, { ...budget, time: 'untimed' }).verdicts).toEqual({ states: 5_078, exclusion: 12, enters: 'holds', fence: 12 });
  });
});

describe('hierarchical fencing', () => {
  it('a number comes twice where `admitted` comes twice; that one node enters with it twice is the shortest way', () => {
    const { runs } = found(ignoringUnexpected(central), 4, { duplications: 1, commands: 2 });
    expect(page).toContain(runs[3]);
  });

  it('is not there where that part has none', () => {
    const { fence: _, ...numberless } = raymond();
    const { fence, properties: promised } = hierarchical({ between: numberless });
    expect(fence).toBeUndefined();
    expect(promised.some(({ kind }) => kind === 'increases')).toBe(false);
  });
});
