import { readFileSync } from 'node:fs';
import { explore } from '@conclave/core/exploration';
import type { NodeId } from '@conclave/core/protocol';
import { simulate, totalMessages, type Workload } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { linesText, parseTrace, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect } from 'vitest';
import { and, type EventObject, type MachineContext } from 'xstate';
import { withMachine, withState } from '../../contract/mutant.js';
import { fault } from '../../contract/sweep.js';
import { ignoringUnexpected } from '../../mutual-exclusion/ignoring-unexpected.contract.js';
import { handled, outcomeOf, quiescence } from '../../mutual-exclusion/outcome.contract.js';
import { churn } from './churn.contract.js';
import { virtualTree } from './protocol.js';
import { machine } from './virtual-tree.js';

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const noCycle = 'the parents form no cycle';
const learns =
  'a node learns that its parent has lost its place: the parent is attached, or lost or closed is on the way';
const place = 'every node that waits for a place in the tree gets one';

describe('virtual-tree assumptions', () => {
  proof.each([
    ['a lost message', { losses: 1 }, quiescence, 7],
    ['a crash', { crashes: 1 }, place, 2],
    ['a restart', { crashes: 1, restarts: 1 }, handled, 4],
    ['a duplicated message', { duplications: 1 }, handled, 6],
    ['messages out of order', { order: 'any' }, learns, 12],
  ] as const)(
    '%s makes no cycle with two nodes, and has this shortest run',
    (_what, budget, broken, steps) => {
      const two = virtualTree({ addresses: 1 });
      expect(outcomeOf(ignoringUnexpected(two), complete(3), budget).verdicts).toMatchObject({
        [noCycle]: 'holds',
      });
      expect(outcomeOf(two, complete(3), budget).verdicts).toMatchObject({
        [broken]: `violated in ${steps}`,
      });
    },
  );

  proof(
    'if a node that loses its parent takes any neighbour with a level at once, there is a cycle: the page shows the shortest run',
    () => {
      const { on = {} } = machine.config.states?.present?.states?.attached ?? {};
      const hasOther = ({
        context,
        event,
      }: {
        readonly context: MachineContext;
        readonly event: EventObject;
      }) =>
        Object.entries({ ...context.neighbours }).some(
          ([id, level]) => level !== null && 'from' in event && id !== event.from,
        );
      const atOnce = (rest: unknown) => [
        {
          guard: and(['fromParent', hasOther]),
          actions: ['forget', 'choose', 'announce'],
          description: 'naive',
        },
        ...[rest].flat(),
      ];
      const naive = withMachine(
        virtualTree({ addresses: 1 }),
        withState(machine, ['present', 'attached'], { on: { ...on, closed: atOnce(on.closed) } }),
      );
      const { properties } = explore(naive, complete(4), { all: false });
      const [wrong] = properties.filter(({ verdict }) => verdict === 'violated');
      const [, shown = ''] = /```text\n([^`]*# variant[^`]*)```/.exec(page) ?? [];
      expect(wrong).toMatchObject({ name: noCycle });
      expect(linesText(parseTrace(shown).lines)).toBe(linesText(wrong?.trace?.lines ?? []));
      expect(replay(naive, complete(4), parseTrace(shown))).toEqual({
        steps: wrong?.trace?.lines.length,
      });
    },
  );
});

describe('virtual-tree churn', () => {
  proof(
    'of 1,000 nodes, of which 300 leave: never a cycle, and all that stay are below one root',
    () => {
      const topology = complete(1001);
      const parents = new Map<NodeId, NodeId | null>();
      const levels = new Map<NodeId, number>();
      let cycles = 0;
      /** Checks each change of a parent: a new cycle goes through that node. */
      const watched =
        (workload: Workload): Workload =>
        (application) => {
          const observe = workload(application);
          return (node) => {
            const parent = typeof node.context.parent === 'string' ? node.context.parent : null;
            if (node.role === 'node' && parents.get(node.id) !== parent) {
              parents.set(node.id, parent);
              let steps = 0;
              for (let at = parents.get(node.id); at && steps <= 1000; at = parents.get(at))
                steps += at === node.id ? 1001 : 1;
              if (steps > 1000) cycles++;
            }
            if (node.tags.has('attached')) levels.set(node.id, Number(node.context.level));
            else levels.delete(node.id);
            observe(node);
          };
        };
      const result = simulate({
        protocol: virtualTree(),
        topology,
        workload: watched(churn({ leaving: 0.3, mean: 300 })),
        conditions: { order: 'fifo', delay: { kind: 'exponential', mean: 10 } },
        seed: 5,
      });
      expect(fault(result)).toBeUndefined();
      expect(cycles).toBe(0);
      expect([...levels.values()].filter((level) => level === 0)).toHaveLength(1);
      expect({
        members: levels.size,
        deepest: Math.max(...levels.values()),
        messages: totalMessages(result),
      }).toEqual({
        members: 704,
        deepest: 4,
        messages: 22_167,
      });
    },
  );
});
