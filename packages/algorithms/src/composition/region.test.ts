import { explore } from '@conclave/core/exploration';
import { fire, start, step } from '@conclave/core/internal/protocol';
import { defineProtocol, type Json, type Message, type Protocol } from '@conclave/core/protocol';
import { leftToTest, proof, times } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../catalogue.js';
import { partProperty, partShapes, partView } from './part.js';
import { compose } from './region.js';
import { busy, nothing, sole, takes } from './regions.contract.js';

type Step = ReturnType<typeof step>;

/** The same protocol, with each of its machines as the only region of another. */
function alone(protocol: Protocol): Protocol {
  const roles = Object.entries(protocol.roles).map(
    ([name, { machine, input, stable: _, counters: __, ...rest }]) => [
      name,
      {
        ...rest,
        machine: compose(nothing, { part: machine }),
        input: (...whose: Parameters<typeof input>) => ({ part: input(...whose) }),
      },
    ],
  );
  return defineProtocol<Message, Message>({
    ...protocol,
    channels: withTagsOfPart(protocol.channels),
    roles: Object.fromEntries(roles),
    messages: partShapes('part', protocol.messages),
    commands: partShapes('part', protocol.commands),
    ...(protocol.crashNotice === undefined ? {} : { crashNotice: `part-${protocol.crashNotice}` }),
    waiting: protocol.waiting === false ? false : ({ tags }) => [...tags].includes('part:waiting'),
    properties: protocol.properties.map((property) => partProperty('part', property)),
    ...(protocol.fence
      ? { fence: (node) => protocol.fence?.(partView('part', node) ?? node) ?? 0 }
      : {}),
  });
}

/** Stays name the tag of the state in which the application stays. */
function withTagsOfPart(channels: Protocol['channels']): Protocol['channels'] {
  const { time } = channels;
  if (typeof time !== 'object' || !time.stays) return channels;
  const stays = Object.fromEntries(
    Object.entries(time.stays).map(([tag, stay]) => [`part:${tag}`, stay]),
  );
  return { ...channels, time: { ...time, stays } };
}

/** A part has no cost of its own. */
const withoutCost = (protocol: Protocol): Protocol => ({
  ...protocol,
  properties: protocol.properties.filter(({ kind }) => kind !== 'atMost'),
});

describe('a machine as the only region of another', () => {
  // a history variable would see the steps of the whole
  const parts = catalogue.filter(({ make }) => !make().history);
  proof.each(parts.map((entry) => [entry.name, withoutCost(entry.make())] as const))(
    'has as many worlds and steps, and the same verdicts, as alone: %s',
    (_name, protocol) => {
      for (const n of [2, 3, 4]) {
        const topology = protocol.topology.example(n);
        const found = ({
          states,
          transitions,
          depth,
          complete,
          properties,
        }: ReturnType<typeof explore>) => ({
          states,
          transitions,
          depth,
          complete,
          verdicts: properties.map(({ kind, verdict }) => `${kind} ${verdict}`).sort(),
        });
        const options = { commands: n === 2 ? 2 : 1, limits: { states: 400 } };
        expect(found(explore(alone(protocol), topology, options))).toEqual(
          found(explore(protocol, topology, options)),
        );
      }
    },
  );

  it.each([
    [
      'with names of its own',
      compose(nothing, { part: busy }),
      'part-',
      (input: Json) => ({ part: input }),
    ],
    ['as the sole part', sole(busy), '', (input: Json) => input],
  ])(
    'takes the same steps as alone, with every kind of action and guard, %s',
    (_how, whole, prefix, inputOf) => {
      leftToTest(); // few runs have not every kind of step
      const asPart = partOf(prefix === '');
      const kinds = new Set<string>();
      const moves = fc.array(
        fc.tuple(fc.constantFrom('go', 'stop', 'ring', 'wake', 'tick', 'timer'), fc.nat(3)),
        { maxLength: 40 },
      );
      fc.assert(
        fc.property(fc.nat(5), moves, (patience, all) => {
          let inner = start(busy, 'a', { patience });
          let outer = start(whole, 'a', inputOf({ patience }));
          expect(asPart(outer)).toEqual(plain(inner));
          for (const [type, by] of all) {
            const timer = by % Math.max(1, inner.state.timers.length);
            if (type === 'timer' && inner.state.timers.length === 0) continue;
            const event = by > 1 ? { type, by } : { type };
            if (type !== 'timer' && !takes(busy, inner.state, event)) {
              expect(takes(whole, outer.state, { ...event, type: prefix + type })).toBe(false);
              continue;
            }
            const arms = (step: Step) => step.state.timers[timer]?.id ?? '';
            inner =
              type === 'timer'
                ? fire(busy, 'a', inner.state, arms(inner))
                : step(busy, 'a', inner.state, event);
            outer =
              type === 'timer'
                ? fire(whole, 'a', outer.state, arms(outer))
                : step(whole, 'a', outer.state, { ...event, type: prefix + type });
            expect(asPart(outer)).toEqual(plain(inner));
            for (const effect of inner.effects) kinds.add(effect.type);
            kinds.add(JSON.stringify(inner.state.value));
          }
        }),
        { numRuns: times(25, 250), seed: 1 },
      );
      expect([...kinds].sort()).toEqual([
        '"idle"',
        '"sleeping"',
        'cancel',
        'notify',
        'send',
        'start',
        '{"active":{"left":"high","right":"first"}}',
        '{"active":{"left":"high","right":"second"}}',
        '{"active":{"left":"low","right":"first"}}',
        '{"active":{"left":"low","right":"second"}}',
      ]);
    },
  );
});

const plain = ({ state, effects }: Step) => ({ ...state, effects });

/** The step of the whole, with the names of the part. */
const partOf = (isSole: boolean) => (step: Step) => asPart(step, isSole);

function asPart({ state: { value, context, ...state }, effects }: Step, isSole: boolean): unknown {
  const renamed = JSON.stringify({ ...state, effects })
    .replaceAll('alone.part', 'busy')
    .replaceAll(/part[-:]/g, '')
    .replaceAll('busy.active.right.second', 'second'); // its own id
  return {
    ...(JSON.parse(renamed) as object),
    value: Object(value).part,
    context: isSole ? context : Object(context).part,
  };
}
