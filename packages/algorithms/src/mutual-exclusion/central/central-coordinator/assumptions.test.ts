import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { always, type NodeView, type Protocol, send } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { star, type Topology } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { enqueueActions } from 'xstate';
import { exploreCrashes } from '../../../contract/crashing.js';
import { withMachine } from '../../../contract/mutant.js';
import { ofWholes, withoutSteps } from '../../../contract/without-steps.js';
import { forgiving } from '../../ignoring-unexpected.contract.js';
import { properties } from '../../mutual-exclusion.js';
import { acknowledgedClient } from './central-coordinator.js';
import { centralCoordinator } from './protocol.js';

const plain = withoutSteps(centralCoordinator());
const acknowledged = withoutSteps(centralCoordinator({ acknowledge: true }));

const verdictsOf = (found: ReturnType<typeof explore>) => found.properties.map(({ verdict }) => verdict);

/** The shortest run that violates the property of this place; its nodes go that way. */
function violation(protocol: Protocol, topology: Topology, found: ReturnType<typeof explore>, place: number): readonly string[] {
  const trace = found.properties[place]?.trace;
  if (!trace) return [];
  expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
  return linesText(trace.lines)
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(/ {2,}/g, '  ').trim());
}

describe('central-coordinator assumptions', () => {
  it('one lost message, whichever, breaks liveness, not exclusion', () => {
    const found = explore(plain, star(3), { commands: 2, losses: 1 });
    expect(found.states).toBe(278);
    expect(verdictsOf(found)).toEqual(['holds', 'violated', 'reached', 'holds', 'holds', 'violated']);
    expect(violation(plain, star(3), found, 1)).toEqual(['b  acquire  released → wanted  ⇒ a: request', 'a  drop request from b']);
  });

  it('one doubled message breaks exclusion: a coordinator that is told twice that one has left lets in two', () => {
    const found = explore(plain, star(4), { duplications: 1 });
    expect(violation(plain, star(4), found, 0)).toEqual([
      'b  acquire  released → wanted  ⇒ a: request',
      'a  request from b  free → busy  ⇒ b: grant(1)',
      'b  grant(1) from a  wanted → held',
      'b  release  held → released  ⇒ a: released',
      'a  duplicate released from b',
      'a  released from b  busy → free',
      'c  acquire  released → wanted  ⇒ a: request',
      'a  request from c  free → busy  ⇒ c: grant(2)',
      'a  released from b  busy → free',
      'c  grant(2) from a  wanted → held',
      'd  acquire  released → wanted  ⇒ a: request',
      'a  request from d  free → busy  ⇒ d: grant(3)',
      'd  grant(3) from a  wanted → held',
    ]);
  });

  it('a reliable link below makes up for loss, doubling and overtaking', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const conditions = { order: 'any', loss: 0.1, duplication: 0.1, delay: { kind: 'uniform', least: 1, most: 20 } } as const;
      const workload = closedLoop({ entries: 3 });
      const { properties, complete } = simulate({
        protocol: centralCoordinator(),
        topology: star(5),
        seed,
        conditions,
        reliable: true,
        workload,
      });
      expect(complete).toBe(true);
      expect(new Set(properties.map(({ verdict }) => verdict))).toEqual(new Set(['holds', 'reached']));
    }
  });

  it('a crashed client is harmless as long as it neither holds nor waits: every interleaving', () => {
    for (const [topology, commands, states] of [
      [star(3), 2, 247],
      [star(4), 1, 429],
      [star(4), 2, 3_092],
    ] as const) {
      const found = exploreCrashes(plain, topology, { commands, mayCrash: ({ value }) => value === 'released' });
      expect(found).toMatchObject({ complete: true, states });
      expect(new Set(Object.values(found.verdicts))).toEqual(new Set(['holds', 'reached']));
    }
  });

  it.each([
    ['waits', 'waiting', 5],
    ['is inside', 'critical', 6],
  ])('a client that crashes while it %s stops all others', (_what, tag, steps) => {
    const found = exploreCrashes(plain, star(3), { mayCrash: ({ tags }) => tags.has(tag) });
    expect(found.verdicts).toMatchObject({
      'at most one node is in the critical section': 'holds',
      'b: every node that wants to enter eventually enters': 'violated',
    });
    expect(found.steps['b: every node that wants to enter eventually enters']).toBe(steps);
  });

  it('a crashed coordinator is waited for for ever', () => {
    const found = exploreCrashes(plain, star(3), { commands: 2, mayCrash: ({ role }) => role === 'coordinator' });
    expect(found.verdicts['b: every node that wants to enter eventually enters']).toBe('violated');
    expect(found.steps['b: every node that wants to enter eventually enters']).toBe(2);
  });
});

describe('central-coordinator assumptions with acknowledge', () => {
  const reports = 'every node that wants to enter eventually enters, or reports that the coordinator is silent';
  const enters = ofWholes(properties)[1];
  const both = enters ? [...acknowledged.properties, enters] : [];

  it('a crashed coordinator, whenever it crashes, is reported by whoever waits: every interleaving, in both times', () => {
    for (const [topology, commands, time, states] of [
      [star(2), 2, 'untimed', 169],
      [star(3), 1, 'untimed', 510],
      [star(3), 2, 'bounded', 4_707],
      [star(4), 1, 'bounded', 3_028],
    ] as const) {
      const found = exploreCrashes(acknowledged, topology, { commands, time, mayCrash: ({ role }) => role === 'coordinator' });
      expect(found).toMatchObject({ complete: true, states });
      expect(new Set(Object.values(found.verdicts))).toEqual(new Set(['holds', 'reached']));
    }
  });

  it('a crashed client is harmless as long as it neither holds nor waits, and has not given up by mistake', () => {
    const released = { mayCrash: ({ tags, value }: NodeView) => typeof value === 'object' && !tags.has('waiting') };
    const bounded = exploreCrashes(acknowledged, star(3), { commands: 2, time: 'bounded', ...released });
    expect(bounded).toMatchObject({ complete: true, states: 1_498 });
    expect(new Set(Object.values(bounded.verdicts))).toEqual(new Set(['holds', 'reached']));
    const untimed = exploreCrashes(acknowledged, star(3), released);
    expect(untimed.verdicts[`b: ${reports}`]).toBe('violated');
    expect(untimed.steps[`b: ${reports}`]).toBe(10);
  });

  it('where messages take at most so long, nobody reports a coordinator that is alive, and everybody enters', () => {
    for (const [topology, commands] of [
      [star(3), 2],
      [star(4), 1],
    ] as const) {
      const found = explore(acknowledged, topology, { commands, time: 'bounded', properties: both });
      expect(verdictsOf(found)).toEqual(['holds', 'holds', 'reached', 'holds', 'holds', 'holds', 'holds']);
    }
  });

  it('where they may take longer, an alarm may be false; what comes late is given back, so exclusion holds', () => {
    const found = explore(acknowledged, star(3), { commands: 2, properties: both });
    expect(verdictsOf(found)).toEqual(['holds', 'holds', 'reached', 'holds', 'violated', 'holds', 'holds']);
    expect(violation(acknowledged, star(3), found, 4)).toEqual([
      'b  acquire  released.idle → wanted.asking  ⇒ a: request, start patience.acknowledged-client.wanted.asking 1000ms',
      'a  request from b  free → busy  ⇒ b: grant(1)',
      'b  timeout patience.acknowledged-client.wanted.asking  wanted.asking → released.unserved  ⇒ notify coordinator-silent',
      'b  grant(1) from a  released.unserved  ⇒ a: released',
      'a  released from b  busy → free',
    ]);
  });

  it('a grant that comes late must be given back: else all others wait for ever', () => {
    const keeps = acknowledgedClient.provide({
      actions: {
        giveBack: enqueueActions(({ context, event, enqueue }) => {
          if (event.type === 'release') enqueue.emit(send(context.coordinator, { type: 'released' }));
        }),
      },
    });
    const found = explore(withMachine(acknowledged, keeps, 'client'), star(3));
    expect(found.properties[1]).toMatchObject({ name: reports, verdict: 'violated' });
    expect([found.properties[1]?.trace?.lines.length, found.properties[1]?.loopsFrom]).toEqual([9, 6]);
  });

  it('a client that crashes inside is not noticed: the others stay in the queue, and the coordinator answers', () => {
    const found = exploreCrashes(acknowledged, star(3), { time: 'bounded', mayCrash: ({ tags }) => tags.has('critical') });
    expect(found.verdicts[`b: ${reports}`]).toBe('violated');
    expect(found.steps[`b: ${reports}`]).toBe(9);
  });

  it('one lost message: a lost request is reported; a lost grant is reported by whom it was for, and the others are told to wait for ever', () => {
    const found = explore(acknowledged, star(3), { losses: 1, time: 'bounded' });
    expect(verdictsOf(found)).toEqual(['holds', 'violated', 'reached', 'holds', 'holds', 'holds']);
    expect(found.properties[1]?.loopsFrom).toBe(5);
    expect(violation(acknowledged, star(3), found, 1)).toEqual([
      'b  acquire  released.idle → wanted.asking  ⇒ a: request, start patience.acknowledged-client.wanted.asking 1000ms',
      'a  request from b  free → busy  ⇒ b: grant(1)',
      'b  drop grant(1) from a',
      'c  acquire  released.idle → wanted.asking  ⇒ a: request, start patience.acknowledged-client.wanted.asking 1000ms',
      'a  request from c  busy  ⇒ c: queued',
      'c  queued from a  wanted.asking → wanted.queued  ⇒ cancel patience.acknowledged-client.wanted.asking, start patience.acknowledged-client.wanted.queued 1000ms',
      'c  timeout patience.acknowledged-client.wanted.queued  wanted.queued → wanted.asking  ⇒ a: inquire, start patience.acknowledged-client.wanted.asking 1000ms',
      'a  inquire from c  busy  ⇒ c: queued',
    ]);
  });
});

describe('central-coordinator fencing', () => {
  const different = always('whoever is inside has a number of its own', (system) => {
    const inside = system.tagged('critical');
    return new Set(inside.map((node) => plain.fence?.(node))).size === inside.length;
  });
  const fencing = (protocol: Protocol, n: number, fault: ExploreOptions) => {
    const changed = forgiving(protocol);
    const found = explore(changed, star(n), { ...fault, properties: [...protocol.properties, different] });
    const [exclusion, , , grows, differs] = found.properties.map(({ verdict, trace }) => {
      if (verdict !== 'violated' || !trace) return verdict;
      expect(replay(changed, star(n), trace)).toEqual({ steps: trace.lines.length });
      return `violated in ${trace.lines.length}`;
    });
    return { exclusion, grows, differs };
  };
  const good = { exclusion: 'holds', grows: 'holds', differs: 'holds' };

  it('numbers grow where a message is lost, or a client or the coordinator crashes', () => {
    for (const fault of [{ losses: 1 }, { crashes: 1 }])
      for (const protocol of [plain, acknowledged]) expect(fencing(protocol, 3, fault)).toEqual(good);
  });

  it('they do not where a grant comes twice, or two are on their way at once since word that one has left came twice', () => {
    expect(fencing(plain, 3, { commands: 2, duplications: 1 })).toMatchObject({ grows: 'violated in 7' });
    expect(fencing(plain, 4, { duplications: 1 })).toEqual({ exclusion: 'violated in 13', grows: 'violated in 13', differs: 'holds' });
  });

  it('a coordinator that comes back with its count gives each a number of its own; without it, two have the same', () => {
    const restart = { crashes: 1, restarts: 1 };
    const forgetful = {
      ...plain,
      roles: Object.fromEntries(Object.entries(plain.roles).map(([name, role]) => [name, { ...role, stable: [] }])),
    };
    expect(fencing(plain, 3, restart)).toEqual({ exclusion: 'violated in 8', grows: 'violated in 8', differs: 'holds' });
    expect(fencing(forgetful, 3, restart)).toEqual({ exclusion: 'violated in 8', grows: 'violated in 8', differs: 'violated in 8' });
  });
});
