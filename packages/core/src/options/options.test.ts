/** Every function with options refuses unknown and impossible ones. */
import { Subject } from 'rxjs';
import type { InferOutput } from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Conditions, Delay } from '../channel/conditions.js';
import type { reliableLink } from '../channel/reliable/protocol.js';
import type { authenticated } from '../embedding/authenticated.js';
import { embed } from '../embedding/embed.js';
import type { EmbedOptions } from '../embedding/embedded.js';
import { type ReliableOptions, reliable } from '../embedding/reliable.js';
import type { Transport } from '../embedding/transport.js';
import { centralLock } from '../protocol/examples.contract.js';
import type { Schema } from '../schema/check.js';
import type { Fault } from '../simulation/faults.js';
import type { SimulationOptions } from '../simulation/options.js';
import { simulate } from '../simulation/simulate.js';
import { closedLoop, type LoopOptions, type poisson } from '../simulation/workload.js';
import { star } from '../topology/generators.js';
import {
  authenticatedOptions,
  conditionChanges,
  delays,
  linkOptions,
  reliableOptions,
} from './channel.js';
import { embedOptions } from './embedding.js';
import {
  faults,
  linkLayer,
  loopOptions,
  poissonOptions,
  simulationOptions,
  until,
} from './simulation.js';

/** Values that the compiler would refuse. */
type Loose = Readonly<Record<string, unknown>>;

const refused = (run: () => unknown, message: string | RegExp) => {
  expect(run).toThrow(message);
  expect(run).toThrow(expect.objectContaining({ code: 'bad-input' }));
};

describe('simulate', () => {
  const run = (options: Loose) => () =>
    simulate({ protocol: centralLock, topology: star(3), ...options } as SimulationOptions);

  it.each<[Loose, string]>([
    [{ sed: 1 }, "simulate: there is no option 'sed'. Did you mean 'seed'?"],
    [
      { protocol: () => centralLock },
      'simulate: protocol is the function protocol. Give a protocol: call it',
    ],
    [
      { conditions: { lose: 1 } },
      "simulate: there is no option 'conditions.lose'. Did you mean 'loss'?",
    ],
    [{ conditions: { order: 'lifo' } }, "simulate: conditions.order is 'lifo'."],
    [{ until: { steps: NaN } }, 'simulate: until.steps is NaN.'],
    [{ until: { second: 1 } }, "simulate: there is no option 'until.second'."],
    [{ reliable: 'yes' }, "simulate: reliable is 'yes'. Give true or false."],
    [
      { reliable: { window: 0 } },
      'simulate: reliable.window is 0. Give a whole number, 1 or more.',
    ],
    [{ record: 1 }, 'simulate: record is 1. Give true or false.'],
    [{ workload: {} }, 'simulate: workload is an object. Give a function.'],
    [
      { faults: [{ kind: 'crash', node: 'a', at: -1 }] },
      'simulate: faults.0.at is -1. Give a number of milliseconds from 0 to 1000000000000.',
    ],
    [
      { faults: [{ kind: 'crash', node: 'a', at: Infinity }] },
      'simulate: faults.0.at is Infinity.',
    ],
    [
      { faults: [{ kind: 'crash', node: 'a', at: 1, probability: 1.5 }] },
      'simulate: faults.0.probability is 1.5. Give a number from 0 to 1.',
    ],
    [
      { faults: [{ kind: 'crash', node: 'a', at: 1, restartAfter: -1 }] },
      'simulate: faults.0.restartAfter is -1.',
    ],
    [
      { faults: [{ kind: 'crash', nod: 'a', at: 1 }] },
      "simulate: there is no option 'faults.0.nod'. Did you mean 'node'?",
    ],
    [
      { faults: [{ kind: 'conditions', change: { loss: 2 }, at: 1 }] },
      'simulate: faults.0.change.loss is 2.',
    ],
    [
      { faults: [{ kind: 'meteor', at: 1 }] },
      "simulate: faults.0.kind is 'meteor'. Give one of crash, partition, conditions.",
    ],
  ])('refuses %o', (options, message) => refused(run(options), message));

  it('refuses a misspelt workload', () => {
    refused(
      () => closedLoop({ entires: 3 } as Loose),
      "closedLoop: there is no option 'entires'. Did you mean 'entries'?",
    );
  });
});

describe('embed', () => {
  const transport: Transport = {
    self: 'a',
    guarantees: { order: 'fifo', loss: false, duplication: false },
    received$: new Subject(),
    send: () => {},
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  const run = (options: Loose, protocol: unknown = centralLock) =>
    (embed as (protocol: unknown, options: unknown) => unknown).bind(undefined, protocol, {
      self: 'a',
      transport,
      ...options,
    });

  it('refuses unknown or wrong options', () => {
    refused(run({ peer: ['b'] }), "embed: there is no option 'peer'. Did you mean 'peers'?");
    refused(
      run({ peers: ['b'], transport: {} }),
      'embed: transport is an object. Give a transport, with self, send and received$.',
    );
    refused(run({ peers: ['b'], onError: 'log' }), "embed: onError is 'log'. Give a function.");
    refused(
      run({ peers: ['b'] }, () => centralLock),
      'embed: protocol is a function. Give a protocol: call it, as in make(…).',
    );
    refused(
      () => reliable(transport, { windows: 5 } as Loose),
      "reliable: there is no option 'windows'. Did you mean 'window'?",
    );
  });
});

// The schemas name exactly the fields of the interfaces that they check. The compiler decides.

const keysOf = <T>(_schema: Schema<T>) => expectTypeOf<keyof T>();
type Kind<Union extends { readonly kind: string }, K> = keyof Extract<Union, { readonly kind: K }>;

it('channels', () => {
  keysOf(conditionChanges).toEqualTypeOf<keyof Conditions>();
  keysOf(linkOptions).toEqualTypeOf<keyof NonNullable<Parameters<typeof reliableLink>[0]>>();
  keysOf(authenticatedOptions).toEqualTypeOf<keyof Parameters<typeof authenticated>[1]>();
  keysOf(reliableOptions).toEqualTypeOf<keyof ReliableOptions>();
  expectTypeOf<keyof typeof delays>().toEqualTypeOf<Delay['kind']>();
  keysOf(delays.fixed).toEqualTypeOf<Kind<Delay, 'fixed'>>();
  expectTypeOf<keyof InferOutput<typeof delays.uniform>>().toEqualTypeOf<Kind<Delay, 'uniform'>>();
  keysOf(delays.exponential).toEqualTypeOf<Kind<Delay, 'exponential'>>();
  keysOf(delays.normal).toEqualTypeOf<Kind<Delay, 'normal'>>();
  keysOf(delays.link).toEqualTypeOf<Kind<Delay, 'link'>>();
});

it('simulation', () => {
  keysOf(simulationOptions).toEqualTypeOf<keyof SimulationOptions>();
  keysOf(until).toEqualTypeOf<keyof NonNullable<SimulationOptions['until']>>();
  keysOf(linkLayer).toEqualTypeOf<
    keyof Exclude<SimulationOptions['reliable'], boolean | undefined>
  >();
  keysOf(loopOptions).toEqualTypeOf<keyof LoopOptions>();
  keysOf(poissonOptions).toEqualTypeOf<keyof Parameters<typeof poisson>[0]>();
  expectTypeOf<keyof typeof faults>().toEqualTypeOf<Fault['kind']>();
  keysOf(faults.crash).toEqualTypeOf<Kind<Fault, 'crash'>>();
  keysOf(faults.partition).toEqualTypeOf<Kind<Fault, 'partition'>>();
  keysOf(faults.conditions).toEqualTypeOf<Kind<Fault, 'conditions'>>();
});

it('embedding', () => {
  keysOf(embedOptions).toEqualTypeOf<keyof EmbedOptions>();
});
