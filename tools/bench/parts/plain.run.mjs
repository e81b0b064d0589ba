/**
 * One measurement of tools/bench/parts.mjs in a process of its own: prints
 * `{ states, transitions, seconds }` as JSON.
 */
import { exploreSystem } from '@conclave/check';
import { never } from '@conclave/core/protocol';

const [tool, count] = process.argv.slice(2);

/** J. Gray, L. Lamport: Consensus on Transaction Commit, section 3. Messages are a set that grows. */
const each = (value) => Array.from({ length: Number(count) }, () => value);
const system = {
  initial: {
    ...{ managers: each('working'), coordinator: 'asking' },
    ...{ heard: each(false), told: each(false), commit: false, abort: false },
  },
  actions: ({ managers, coordinator, heard, told, commit, abort }) => [
    ...(coordinator === 'asking' && heard.every(Boolean) ? [['commit', -1]] : []),
    ...(coordinator === 'asking' ? [['abort', -1]] : []),
    ...managers.flatMap((state, who) => [
      ...(coordinator === 'asking' && told[who] ? [['hear', who]] : []),
      ...(state === 'working'
        ? [
            ['prepare', who],
            ['refuse', who],
          ]
        : []),
      ...(commit ? [['learn commit', who]] : []),
      ...(abort ? [['learn abort', who]] : []),
    ]),
  ],
  next: (state, [what, who]) => {
    const become = (one) => ({ ...state, managers: state.managers.with(who, one) });
    if (what === 'commit') return { ...state, coordinator: 'committed', commit: true };
    if (what === 'abort') return { ...state, coordinator: 'aborted', abort: true };
    if (what === 'hear') return { ...state, heard: state.heard.with(who, true) };
    if (what === 'prepare') return { ...become('prepared'), told: state.told.with(who, true) };
    return become(what === 'learn commit' ? 'committed' : 'aborted');
  },
};
const differ = ({ managers }) => managers.includes('committed') && managers.includes('aborted');

const tools = {
  exploreSystem: () => exploreSystem(system, { properties: [never('they differ', differ)] }),
  'JSON.stringify and a Map': () => {
    const { initial, actions, next } = system;
    const found = new Map([[JSON.stringify(initial), initial]]);
    let transitions = 0;
    for (const state of found.values())
      for (const action of actions(state)) {
        transitions++;
        const after = next(state, action);
        const text = JSON.stringify(after);
        if (found.has(text)) continue;
        if (differ(after)) throw new Error(`${text} violates the property`);
        found.set(text, after);
      }
    return { states: found.size, transitions };
  },
};
const start = performance.now();
const { states, transitions } = tools[tool]();
const seconds = (performance.now() - start) / 1000;
console.log(JSON.stringify({ states, transitions, seconds }));
