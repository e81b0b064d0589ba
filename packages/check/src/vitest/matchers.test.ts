import { star } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { centralLock } from '../../../core/src/protocol/examples.contract.js';
import type { Exploration } from '../verdicts/exploration.js';
import { matchers } from './index.js';

const found: Exploration = {
  protocol: 'tiny',
  topology: 'complete:2',
  states: 7,
  transitions: 9,
  depth: 3,
  width: 4,
  steps: { distinct: 8, confirmed: 8 },
  assumptions: [],
  seconds: 0.1,
  complete: true,
  properties: [
    { name: 'safe', kind: 'always', verdict: 'holds' },
    { name: 'seen', kind: 'sometimes', verdict: 'reached' },
  ],
  diagnosis: { nodes: { a: 3, b: 3 }, fields: {}, messages: 2, contents: 3, growing: [] },
};
const trace = {
  header: new Map(),
  lines: [
    {
      node: 'a',
      event: { kind: 'command', call: 'acquire' },
      before: 'released',
      after: 'wanted',
      effects: [],
    },
  ],
} as const;
const stuck: Exploration = {
  ...found,
  properties: [
    ...found.properties,
    { name: 'live', kind: 'leadsTo', verdict: 'violated', trace, loopsFrom: 1 },
  ],
};

describe('matchers for explorations', () => {
  it('toHold passes only for a complete exploration in which everything holds', () => {
    expect(matchers.toHold(found).pass).toBe(true);
    expect(matchers.toHold(stuck).pass).toBe(false);
    const limited = matchers.toHold({ ...found, complete: false, limit: 'states' });
    expect(limited.pass).toBe(false);
    expect(limited.message()).toContain(
      'The exploration is incomplete: it reached its limit of states. Nothing is proved.',
    );
  });

  it('toHold shows the counterexample, and where it loops or stops', () => {
    expect(matchers.toHold(stuck).message()).toBe(
      'tiny on complete:2: 7 states, 9 transitions: not everything holds\n\nviolated: leadsTo live\n  a  acquire  released → wanted\n  — quiescent from here on —',
    );
  });

  it('extend expect', () => {
    expect.extend(matchers);
    expect(found).toHold();
    expect(found).toReach('seen');
    expect(stuck).toViolate('live');
    expect(() => expect(stuck).toHold()).toThrow(/not everything holds/);
  });

  it('toViolate and toReach check one property by its name', () => {
    expect(matchers.toViolate(stuck, 'live').pass).toBe(true);
    expect(matchers.toViolate(stuck, 'safe').pass).toBe(false);
    expect(matchers.toReach(found, 'seen').pass).toBe(true);
    const unknown = matchers.toReach(found, 'unseen');
    expect(unknown.pass).toBe(false);
    expect(unknown.message()).toContain("has no property 'unseen'. It has\n  safe\n  seen");
  });
});

const systems = [{ topology: star(3) }];

/** No property reads which node is in the critical section. */
const weak = {
  ...centralLock,
  properties: centralLock.properties.filter(({ kind }) => kind !== 'always'),
};

describe('the matcher for mutants', () => {
  proof('passes if enough mutants are killed', () => {
    expect.extend(matchers);
    expect(centralLock).toKillMutants({ systems });
    expect(weak).toKillMutants({ atLeast: 0.5, systems });
    expect(() => expect(weak).toKillMutants({ systems })).toThrow(
      /^Central lock: \d\d\.\d % of the mutants are killed, 100\.0 % are required/,
    );
  });

  proof('lists the surviving mutants with the question that the properties leave open', () => {
    const { pass, message } = matchers.toKillMutants(weak, { systems });
    expect(pass).toBe(false);
    expect(message()).toMatch(
      /\n[A-Z][a-z ]+\. [A-Z].*\n {2}- (client|keeper) · .*\n {2}\+ (client|keeper) · /,
    );
  });

  it('lists the mutants that are not reached, and those cut off by the time limit', () => {
    const none = matchers.toKillMutants(centralLock, {
      systems,
      limits: { seconds: 0 },
      operators: ['drop-always'],
    });
    expect(none.message()).toContain('1 are inconclusive: a limit was reached');
  });
});
