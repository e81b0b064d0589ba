import { assertRuns } from '@conclave/tools/sample';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json, Message, NodeId } from '../../protocol/node.js';
import { Family, subsets } from './family.js';
import { OrderedNumbers } from './ordered-numbers.js';
import type { Part } from './part.js';
import { keyOf, type PartialWorld, PartialWorlds, type WorldSet } from './partial-worlds.js';
import { Parts } from './parts.js';
import { right } from './wrong-later.contract.js';

const { 'a keeper': protocol } = right;
if (!protocol) throw new Error('it is there');
const family = new Family(protocol, protocol.topology.example);
const free = 5;
const names = family.names(free);

/** Data of all shapes that views can give back, about the nodes of a world. */
const node = fc.constantFrom<NodeId>(...names);
const scalar: fc.Arbitrary<Json> = fc.oneof(node, fc.boolean(), fc.constant('busy'));
const few = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 2 });
const context = fc.record({
  holder: scalar,
  queue: few(node),
  marked: few(fc.record({ node, isUrgent: fc.boolean() })),
  byNode: fc.dictionary(node, fc.oneof(scalar, fc.record({ of: scalar })), { maxKeys: 2 }),
  deep: fc.record({ inner: fc.record({ holder: scalar }) }),
});
const message: fc.Arbitrary<Message> = fc.record({
  type: fc.constantFrom('one', 'other'),
  origin: node,
});

const partOf = (id: NodeId): fc.Arbitrary<Part> =>
  fc
    .record({
      context,
      sent: fc.dictionary(node, fc.array(message, { minLength: 1, maxLength: 2 }), { maxKeys: 1 }),
    })
    .map(({ context, sent: { [id]: _, ...out } }) => ({
      role: family.roleOf(id, free),
      state: { value: 'on', context, tags: [], history: {}, timers: [], status: 'active' },
      out,
    }));

it.each(['fifo', 'any'] as const)('worlds are put together of their views: %s', (order) => {
  const none = new Set<never>();
  const detail = {
    order,
    kept: none,
    guessed: none,
    ordered: none,
    constants: none,
    piling: none,
    stop: () => false,
  };
  assertRuns(
    fc.property(fc.tuple(...names.map(partOf)), (given) => {
      const everybody = 2 ** free - 1;
      const parts = new Parts(family, detail);
      const worlds = new PartialWorlds(
        family,
        parts,
        new OrderedNumbers(detail, family.renaming(free, everybody)),
      );
      const whole = worlds.seen(
        given.map((part) => parts.numberOf(part)),
        everybody,
      );
      const of = (size: number): WorldSet =>
        new Map(
          subsets(free, size)
            .map((mask): PartialWorld => worlds.seen(whole, mask))
            .map((world) => [keyOf(world), world]),
        );
      for (const size of [2, 3]) {
        const larger = worlds.larger(of(size));
        for (const key of of(size + 1).keys()) expect(larger.has(key)).toBe(true);
      }
    }),
    3,
    60,
  );
});
