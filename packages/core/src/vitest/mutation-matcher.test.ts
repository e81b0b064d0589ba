import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { centralLock } from '../protocol/examples.contract.js';
import { star } from '../topology/generators.js';
import { matchers } from './index.js';

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
