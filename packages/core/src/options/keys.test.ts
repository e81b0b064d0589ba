/** The schemas name exactly the fields of the interfaces that they check. The compiler decides. */
import type { InferOutput } from 'valibot';
import { expectTypeOf, it } from 'vitest';
import type { Conditions, Delay } from '../channel/conditions.js';
import type { reliableLink } from '../channel/reliable/protocol.js';
import type { authenticated } from '../embedding/authenticated.js';
import type { EmbedOptions } from '../embedding/embedded.js';
import type { ReliableOptions } from '../embedding/reliable.js';
import type { ExploreOptions, WalkOptions } from '../exploration/explore/options.js';
import type { OvertakingOptions } from '../exploration/explore/overtaking.js';
import type { PlainOptions } from '../exploration/plain/plain-options.js';
import type { Budget } from '../exploration/worlds/budget.js';
import type { Schema } from '../schema/check.js';
import type { Fault } from '../simulation/faults.js';
import type { SimulationOptions } from '../simulation/options.js';
import type { SeedsOptions } from '../simulation/seeds.js';
import type { LoopOptions, poisson } from '../simulation/workload.js';
import {
  authenticatedOptions,
  conditionChanges,
  delays,
  linkOptions,
  reliableOptions,
} from './channel.js';
import { embedOptions } from './embedding.js';
import {
  budgetOptions,
  exploreOptions,
  limits,
  overtakingOptions,
  plainOptions,
  walkOptions,
} from './exploration.js';
import {
  faults,
  linkLayer,
  loopOptions,
  poissonOptions,
  seedRange,
  seedsOptions,
  simulationOptions,
  until,
} from './simulation.js';

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
  keysOf(seedsOptions).toEqualTypeOf<keyof SeedsOptions>();
  keysOf(seedRange).toEqualTypeOf<keyof SeedsOptions['seeds']>();
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

it('exploration', () => {
  keysOf(budgetOptions).toEqualTypeOf<keyof Budget>();
  keysOf(exploreOptions).toEqualTypeOf<keyof ExploreOptions>();
  keysOf(limits).toEqualTypeOf<keyof NonNullable<ExploreOptions['limits']>>();
  keysOf(plainOptions).toEqualTypeOf<keyof PlainOptions<number>>();
  keysOf(overtakingOptions).toEqualTypeOf<keyof OvertakingOptions>();
  keysOf(walkOptions).toEqualTypeOf<keyof WalkOptions>();
});

it('embedding', () => {
  keysOf(embedOptions).toEqualTypeOf<keyof EmbedOptions>();
});
