/**
 * A step with too many sends cannot be explored with a crash in the middle of it; it is not listed
 * where no such crash may happen.
 */
import { walk } from '@conclave/core/exploration';
import { complete } from '@conclave/core/topology';
import { expect, it } from 'vitest';
import { ricartAgrawala } from '../mutual-exclusion/permission/ricart-agrawala/protocol.js';

const usual = { seed: 1, walks: 1, steps: 5, crashes: 1 };

it('14 sends are refused if their node may crash, and else taken', () => {
  expect(() => walk(ricartAgrawala, complete(15), usual)).toThrow(
    'A step sends 14 messages: a crash in the middle of it',
  );
  expect(walk(ricartAgrawala, complete(15), { ...usual, mayCrash: () => false }).steps).toBe(5);
  expect(walk(ricartAgrawala, complete(15), { ...usual, atomicSteps: true }).steps).toBe(5);
});
