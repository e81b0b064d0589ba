import { describe, expect, it } from 'vitest';
import { explored, searched } from './live-search.contract.js';
import { usualRules } from './live-system.contract.js';
import { systems } from './systems.contract.js';

describe.each(systems.filter(([, , , { time, partitions }]) => !time && !partitions))('%s', (_name, protocol, topology, options) => {
  it.each([false, true])('atomic: %s', (atomicSteps) => {
    const judged = searched(protocol, topology, { ...options, atomicSteps }, usualRules, 20000);
    const found = explored(protocol, topology, { ...options, atomicSteps });
    console.log(_name, atomicSteps, judged?.states, found?.states, judged?.seen.size, found?.seen.size, [...judged?.seen??[]].filter(x=>!found?.seen.has(x)).slice(0,2), [...found?.seen??[]].filter(x=>!judged?.seen.has(x)).slice(0,2));
    expect(found).toEqual(judged);
  });
});
