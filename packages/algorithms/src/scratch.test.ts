import { explore } from '@conclave/core/exploration';
import { complete } from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import { it } from 'vitest';
import { groupLock } from './mutual-exclusion/group/group-lock/protocol.js';
it('x', () => {
  for (const [n, budget] of [[3,{commands:1,crashes:2,initiators:['a','b']}],[3,{commands:1,crashes:2,initiators:['a','c']}],[2,{commands:2,crashes:1}],[2,{commands:2,crashes:2}],[3,{commands:1,crashes:1}]] as const) {
    const at = performance.now();
    const found = explore(groupLock(), complete(n), { ...budget, limits: { states: 1_500_000 } });
    console.log(n, JSON.stringify(budget), found.states, found.complete, ((performance.now() - at)/1000).toFixed(1), found.properties.filter((p) => !['holds','reached'].includes(p.verdict)).map((p) => `${p.verdict} ${p.name} ${p.trace ? '\n' + linesText(p.trace.lines) : ''}`).join('\n'));
  }
}, 600000);
