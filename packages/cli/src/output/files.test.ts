import { describe, expect, it } from 'vitest';
import { again, replayCommandFor, requireWritable } from './files.js';

it.each(['run.png', 'run.gif', 'run.trace.html'])(
  'is not written to %s, which is no trace',
  (trace) => {
    expect(() => requireWritable({ trace })).toThrow(
      /^No trace is a \.\w+ file: .* ends in \.trace/,
    );
  },
);

describe('the command that repeats a run', () => {
  it('is what the user wrote, with the seed', () => {
    expect(again(['simulate', 'A3'], 7)).toBe('npx conclave simulate A3 --seed 7');
    expect(again(['simulate', 'A3', '--seed', '7'], 7)).toBe('npx conclave simulate A3 --seed 7');
    expect(again(['simulate', 'A3', '--seed=7'], 7)).toBe('npx conclave simulate A3 --seed=7');
    expect(again(['check', 'A3'])).toBe('npx conclave check A3');
  });

  it('is quoted for the shell', () => {
    expect(again(['simulate', "./it's mine.ts", '--topology', 'edges:a>b'], 1)).toBe(
      `npx conclave simulate './it'\\''s mine.ts' --topology 'edges:a>b' --seed 1`,
    );
  });

  it('is a replay for a trace in the text form only', () => {
    expect(replayCommandFor('A3', { trace: 'run.trace' })).toBe('npx conclave replay run.trace');
    expect(replayCommandFor('./x.ts', { trace: 'run.trace', export: 'mine' })).toBe(
      'npx conclave replay run.trace --protocol ./x.ts --export mine',
    );
    expect(replayCommandFor('A3', { trace: 'run.svg' })).toBeUndefined();
    expect(replayCommandFor('A3', {})).toBeUndefined();
  });
});
