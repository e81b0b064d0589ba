import type { Budget } from '../exploration/worlds/budget.js';
import type { Protocol } from '../protocol/protocol.js';
import { machineMutants } from './machine-mutants.js';
import type { Mutant } from './mutant.js';
import type { Operator } from './operators.js';
import { statechartText } from './rule-text.js';
import { contextWithNeighbours, withNeighbours } from './sends.js';
import { machineOf, type State } from './statechart.js';
import { statechartOf } from './targets.js';

/**
 * Every protocol that differs from `protocol` in one place: in the statechart of a role, or in what
 * its channels may do. In a fixed order; identical ones are listed once.
 *
 * @example mutantsOf(ricartAgrawala).map(({ id }) => id) // ['node wanted: request #1 drop-guard',
 * …]
 */
export function mutantsOf(protocol: Protocol): readonly Mutant[] {
  const known = mutantLists.get(protocol) ?? everyMutant(protocol);
  mutantLists.set(protocol, known);
  return known;
}

/** Kept, since a report, its fingerprint and each search for one mutant need the whole list. */
const mutantLists = new WeakMap<Protocol, readonly Mutant[]>();

function everyMutant(protocol: Protocol): readonly Mutant[] {
  const mutants = [
    ...Object.keys(protocol.roles).flatMap((role) => roleMutants(protocol, role)),
    ...channelMutants(protocol),
  ];
  const used = new Map<string, number>();
  return mutants.map((mutant) => {
    const count = (used.get(mutant.id) ?? 0) + 1;
    used.set(mutant.id, count);
    return count === 1
      ? mutant
      : Object.defineProperty(copied(mutant), 'id', {
          value: `${mutant.id} (${count})`,
          enumerable: true,
        });
  });
}

/** A copy with a lazy protocol, too. */
const copied = (mutant: Mutant): Mutant =>
  // the same properties
  Object.defineProperties({}, Object.getOwnPropertyDescriptors(mutant)) as Mutant;

function roleMutants(protocol: Protocol, name: string): readonly Mutant[] {
  const role = protocol.roles[name];
  if (!role) return [];
  const root = statechartOf(role.machine);
  const several = Object.keys(protocol.roles).length > 1;
  const prefix = several ? `${name} · ` : ''; // with several roles, the lines name the role
  const numbers = new Map<object, number>();
  const idOf = (made: object) => {
    const known = numbers.get(made) ?? numbers.size;
    numbers.set(made, known);
    return known;
  };
  const written = new Set([statechartText(root, idOf)]);
  const found: Mutant[] = [];
  for (const { what, operator, root: changed, misdirects, ...mutant } of machineMutants(
    role.machine,
    root,
  )) {
    const text = statechartText(changed, idOf);
    if (written.has(text)) continue;
    written.add(text);
    found.push({
      ...mutant,
      before: prefix + mutant.before,
      after: prefix + mutant.after,
      id: `${several ? `${name} ` : ''}${what} ${operator}`,
      operator,
      role: name,
      budget: {},
      site: { ...mutant.site, role: name },
      get protocol() {
        return withStatechart(protocol, name, changed, misdirects);
      },
    });
  }
  return found;
}

function withStatechart(
  protocol: Protocol,
  name: string,
  root: State,
  misdirects: boolean,
): Protocol {
  const role = protocol.roles[name];
  if (!role) return protocol;
  if (!misdirects)
    return {
      ...protocol,
      roles: { ...protocol.roles, [name]: { ...role, machine: machineOf(role.machine, root) } },
    };
  const telling: State = {
    ...root,
    others: { ...root.others, context: contextWithNeighbours(root.others.context) },
  };
  const changed = {
    ...role,
    machine: machineOf(role.machine, telling),
    input: (...[self, topology]: Parameters<typeof role.input>) =>
      withNeighbours(role.input(self, topology), self, topology),
  };
  return { ...protocol, roles: { ...protocol.roles, [name]: changed } };
}

/** Channels that may do one thing that the protocol rules out. */
function channelMutants(protocol: Protocol): readonly Mutant[] {
  const { order, loss, duplication, time = 'untimed' } = protocol.channels;
  const weakened = (
    operator: Operator,
    before: string,
    after: string,
    channels: Partial<Protocol['channels']>,
    budget: Budget = {},
  ): Mutant => ({
    ...{
      id: `channels ${operator}`,
      operator,
      role: undefined,
      state: undefined,
      event: undefined,
      site: undefined,
    },
    ...{ before: `channels: ${before}`, after: `channels: ${after}`, budget },
    protocol: { ...protocol, channels: { ...protocol.channels, ...channels } },
  });
  return [
    ...(order === 'fifo'
      ? [weakened('any-order', 'order fifo', 'order any', { order: 'any' })]
      : []),
    ...(loss ? [] : [weakened('lose', 'no loss', 'one loss', { loss: true }, { losses: 1 })]),
    ...(duplication
      ? []
      : [
          weakened(
            'repeat',
            'no duplication',
            'one duplication',
            { duplication: true },
            { duplications: 1 },
          ),
        ]),
    ...(time === 'untimed'
      ? []
      : [weakened('untimed', 'exact time', 'untimed', { time: 'untimed' })]),
  ];
}
