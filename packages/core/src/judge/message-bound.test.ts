import { describe, expect, it } from 'vitest';
import { atMost } from '../protocol/property.js';
import { MessageBound } from './trackers.js';

describe('a round that sends messages, again and again', () => {
  const property = atMost(2, { per: 'acquire' });
  /** What is said of a run that goes from the first of these numbers to the second, forever. */
  const repeated = (commands: readonly [number, number], messages: readonly [number, number]) =>
    new MessageBound(property, undefined, commands[1], messages[1]).repeated(
      new MessageBound(property, undefined, commands[0], messages[0]),
    ).value;

  it('exceeds each bound where it has no command', () => {
    expect(repeated([3, 3], [1, 2])).toBe('false');
  });

  it('keeps the bound where it has commands, or sends nothing', () => {
    expect(repeated([3, 4], [1, 2])).toBe('true');
    expect(repeated([3, 3], [1, 1])).toBe('true');
  });
});
