import { describe, expect, it } from 'vitest';
import { centralLock } from '../protocol/examples.contract.js';
import { star } from '../topology/generators.js';
import { mutationMatchers } from './index.js';

const systems = [{ topology: star(3) }];

describe('the matcher for mutants', () => {
  it('passes where enough of them are killed', () => {
    expect.extend(mutationMatchers);
    expect(centralLock).toKillMutants({ atLeast: 0.7, systems });
    expect(() => expect(centralLock).toKillMutants({ systems })).toThrow(
      /^Central lock: \d\d\.\d % of the mutants are killed, 100\.0 % are asked for/,
    );
  });

  it('shows what survives, by the question that nobody asks', () => {
    const { pass, message } = mutationMatchers.toKillMutants(centralLock, { systems, operators: ['drop-tag', 'duplicate-action', 'lose'] });
    expect(pass).toBe(false);
    expect(message()).toBe(
      [
        'Central lock: 85.7 % of the mutants are killed, 100.0 % are asked for',
        'A state may lack its tag. Ask for the tag where it is due: always(…) over the state and its tag, or drop it where no property looks.',
        '  - client · waiting: tags waiting',
        '  + client · waiting: tags none',
      ].join('\n'),
    );
  });

  it('tells of those that are not reached, and of those that time cut short', () => {
    const none = mutationMatchers.toKillMutants(centralLock, { systems, limits: { seconds: 0 }, operators: ['drop-tag'] });
    expect(none.message()).toContain('2 are inconclusive: a limit was reached');
  });
});
