import { proof } from '@conclave/tools/sample';
import { expect } from 'vitest';
import { freeHeap, freeHeapWithoutGarbage } from './memory.js';

proof('what a run has left behind is no reason to refuse the next', () => {
  const before = freeHeapWithoutGarbage();
  const garbage = {
    kept: Array.from({ length: 60 }, (_, index) => new Array<number>(125_000).fill(index)),
  }; // 60 MB
  freeHeapWithoutGarbage(); // what is alive leaves the young generation
  expect(before - freeHeap()).toBeGreaterThan(50e6);
  expect(garbage.kept).toHaveLength(60);
  garbage.kept = [];
  expect(before - freeHeapWithoutGarbage()).toBeLessThan(10e6);
});
