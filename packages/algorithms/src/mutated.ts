import { reliableLink } from '@conclave/core/channel';
import type { MutationSystem } from '@conclave/core/mutation';
import type { Protocol } from '@conclave/core/protocol';
import { catalogue } from './catalogue.js';

/** A protocol whose mutants are in docs/mutation.md. */
export interface Subject {
  /** Such as `A3 ricart-agrawala acknowledged=true`. */
  readonly name: string;
  readonly protocol: Protocol;
  /** Where its mutants are explored; undefined: where it is usual. */
  readonly systems: readonly MutationSystem[] | undefined;
}

/** Every protocol of the catalogue, with every set of options that makes another statechart of it, and the reliable link. */
export const subjects = (): readonly Subject[] => [
  ...catalogue.flatMap(({ id, name, charted, make }) =>
    [{}, ...charted].map((options): Subject => {
      const said = Object.entries(options).map(([option, value]) => `${option}=${value}`);
      return { name: [id, name, ...said].join(' '), protocol: make(options), systems: undefined };
    }),
  ),
  { name: 'reliable-link', protocol: reliableLink(), systems: linkSystems(reliableLink()) },
];

/** What a link is to carry has no example in the protocol. A delay of 90 ms keeps what is on its way from being sent again. */
function linkSystems(link: Protocol): readonly MutationSystem[] {
  const topology = link.topology.example(2);
  const one = [{ type: 'transmit', payload: 1 }];
  const two = [...one, { type: 'transmit', payload: 2 }];
  const timed = { initiators: ['a'], time: 'bounded', delay: 90 } as const;
  return [
    { commands: one },
    { commands: one, losses: 1 },
    { commands: one, duplications: 1 },
    { commands: two },
    { commands: two, losses: 1 },
  ].map((budget) => ({ topology, budget: { ...budget, ...timed }, fairness: 'strong' }));
}
