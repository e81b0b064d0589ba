import { roleOf } from '@conclave/core/internal/protocol';
import { catalogue } from '@conclave/tools/catalogue';
import { proof } from '@conclave/tools/sample';
import { expect } from 'vitest';
import { actorOf, takenIn } from '../model/rules.js';
import { Run } from '../model/run.js';
import { systemOf } from '../model/system.js';
import { activeStates } from '../model/words.js';
import { graphOf, idOf } from './graph.js';

/** The source of a transition, from its key. */
const sourceOf = (key: string): string => key.split(' ')[0] ?? '';

proof.each(catalogue.map(({ id, name }) => [id, name] as const))(
  '%s %s: the transitions taken are in the chart, and lead on',
  async (_, name) => {
    const run = new Run(await systemOf({ protocol: name, options: {}, budget: {} }));
    const { protocol, topology } = run.system;
    let seen = 0;
    for (let seed = 1; seed <= 3; seed++) {
      let moment = run.start;
      for (let step = 0, state = seed; step < 30; step++) {
        const { length } = run.actions(moment);
        if (length === 0) break;
        state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
        moment = run.take(moment, state % length);
        const taken = moment.step;
        const node = taken && actorOf(taken);
        if (!taken || !node || taken.fault) continue;
        const { machine } = roleOf(protocol, node, topology);
        const { boxes, edges } = graphOf(machine);
        const inChart = new Set(
          [...boxes.flatMap(({ rows }) => rows), ...edges.flatMap(({ labels }) => labels)].flatMap(
            ({ keys }) => keys,
          ),
        );
        const keys = takenIn(run.system, node, taken);
        const [before, after] = [taken.from.world.nodes[node], moment.world.nodes[node]];
        if (!before || !after) throw new Error(`${node} has no state`);
        for (const key of keys) expect(inChart).toContain(key);
        const active = activeStates(machine, before.value).map(idOf);
        const [first] = keys;
        if (first !== undefined && sourceOf(first) !== machine.id)
          expect(active).toContain(sourceOf(first));
        // Who moved has taken a transition that is an edge, or a row with a target.
        if (JSON.stringify(before.value) !== JSON.stringify(after.value))
          expect(keys.length).toBeGreaterThan(0);
        seen += keys.length;
      }
    }
    expect(seen).toBeGreaterThan(0);
  },
);
