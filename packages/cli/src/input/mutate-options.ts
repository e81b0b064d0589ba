import { type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { allOperators, defaultSystems, type MutationSystem, type Operator } from '@conclave/core/mutation';
import { ConclaveError, optionalCommands, type Protocol } from '@conclave/core/protocol';
import { networkFor } from './network.js';
import { collected, count, measure, positive } from './option-values.js';
import { protocolArgument, protocolOptions } from './protocol.js';

/** `ignore,drop-tag`. */
function chosenOperators(text: string): readonly Operator[] {
  return text.split(',').map((name) => {
    const operator = allOperators.find((known) => known === name.trim());
    if (operator === undefined) throw new InvalidArgumentError(`There are ${allOperators.join(', ')}.`);
    return operator;
  });
}

/** Declares `conclave mutate` with its options. */
export const declareMutate = (program: Command) =>
  program
    .command('mutate')
    .description('measure how strong the properties of a protocol are: which mistakes in its statechart do they notice?')
    .argument('<protocol>', protocolArgument)
    .option('--topology <spec>', 'the network to explore, such as ring:3; a small one (default: the protocol’s, with 2 and 3 nodes)')
    .option('--entries <k>', 'how often each node may wish, such as to enter the critical section (default: 1, and 2)', count)
    .option('--operators <names>', 'which mistakes: some of the operators, such as ignore,drop-tag (default: all)', chosenOperators)
    .option(
      '--max-states <n>',
      'how many states the protocol may have on a system, a mutant three times as many (default: 20000)',
      positive,
    )
    .option(
      '--max-seconds <s>',
      'stop after so long, explorations of the protocol itself included; what is left is inconclusive',
      measure('seconds'),
    )
    .option(...protocolOptions.option, collected)
    .option(...protocolOptions.export)
    .option('--json', 'print one JSON value and nothing else');

export type MutateCommandOptions = ReturnType<ReturnType<typeof declareMutate>['opts']>;

/** Where the options ask to explore mutants, and what a person should know of it; undefined: where it is usual. @throws {ConclaveError} `bad-input`, `bad-topology`. */
export function systemsFor(
  protocol: Protocol,
  { topology, entries }: MutateCommandOptions,
): { readonly systems?: readonly MutationSystem[]; readonly note?: string } {
  if (entries !== undefined && optionalCommands(protocol).length === 0)
    throw new ConclaveError(
      'bad-input',
      `${protocol.title} has no command that can be wished, so --entries leads nowhere`,
      'Leave it out.',
    );
  if (topology === undefined && entries === undefined) return {};
  const commands = [entries ?? 1];
  if (topology === undefined) return { systems: defaultSystems(protocol, { commands }) };
  const network = networkFor(protocol, topology, 3);
  const systems = defaultSystems(protocol, { topologies: [network.topology], commands });
  return { systems, ...(network.note === undefined ? {} : { note: network.note }) };
}
