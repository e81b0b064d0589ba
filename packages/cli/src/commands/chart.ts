import { chart, specification } from '@conclave/core/chart';
import type { Protocol } from '@conclave/core/protocol';
import type { Command } from 'commander';
import type { AnyStateMachine } from 'xstate';
import { badInput } from '../errors.js';
import { choice, declare, flag, text } from '../input/options.js';
import { protocolFor, protocolMeaning, protocolOptions } from '../input/protocol.js';
import { answer, type Session } from '../session.js';

const description = {
  name: 'chart',
  description: "print a protocol's statechart",
  argument: ['protocol', protocolMeaning] as const,
  options: {
    format: choice(
      'format',
      ['mermaid', 'markdown', 'svg', 'json', 'scxml'],
      "mermaid: the statechart; markdown: the specification; svg: as the studio draws it; json: the config for XState and Stately's editor; scxml: for tools of the W3C's standard (default: mermaid)",
    ),
    role: text(
      'name',
      'the statechart of this role only (default: all; svg, json and scxml have one)',
    ),
    ...protocolOptions,
    json: flag('print { protocol, format, text }'),
  },
  help: `json and scxml have the names of guards, actions and delays, not what they do.

Examples:
  conclave chart A7 --option piggyback --format markdown
  conclave chart A3 --format scxml`,
};

/** `conclave chart`: a protocol's statechart, or its whole specification. */
export const chartCommand = (program: Command, session: Session): void =>
  declare(program, description, async ({ format = 'mermaid', role, json, ...options }, name) => {
    const protocol = await protocolFor(name, options, false);
    if (role !== undefined && format === 'markdown')
      throw badInput('The specification has all roles', 'Leave --role out.');
    const printed = await textOf(protocol, format, role);
    answer(session, json, { protocol: protocol.name, format, text: printed }, () => printed);
  });

async function textOf(
  protocol: Protocol,
  format: 'mermaid' | 'markdown' | keyof typeof formats,
  role: string | undefined,
): Promise<string> {
  if (format === 'markdown') return specification(protocol);
  const machines = machinesOf(protocol, role);
  if (format === 'mermaid') return mermaid(machines);
  const [[only, machine] = [], another] = machines;
  if (only === undefined || !machine || another)
    throw badInput(
      `${protocol.title} has the roles ${machines.map(([name]) => name).join(', ')}, and ${format} has one statechart`,
      `Say which, such as --role ${only}.`,
    );
  const isOne = Object.keys(protocol.roles).length === 1;
  return formats[format](machine, isOne ? protocol.title : `${protocol.title}: ${only}`);
}

const formats = {
  svg: async (machine: AnyStateMachine, title: string) =>
    (await import('@conclave/studio/internal/page')).drawing(machine, title),
  json: async (machine: AnyStateMachine) =>
    (await import('../charts/formats.js')).configJson(machine),
  scxml: async (machine: AnyStateMachine) => (await import('../charts/formats.js')).scxml(machine),
};

type Machines = readonly (readonly [role: string, machine: AnyStateMachine])[];

function machinesOf({ roles, title, drawn = {} }: Protocol, role: string | undefined): Machines {
  const machines = Object.entries(roles).map(
    ([name, { machine }]) => [name, drawn[name] ?? machine] as const,
  );
  if (role === undefined) return machines;
  const fitting = machines.filter(([name]) => name === role);
  if (fitting.length === 0)
    throw badInput(
      `${title} has no role '${role}'`,
      `Its roles: ${machines.map(([name]) => name).join(', ')}.`,
    );
  return fitting;
}

/** The chart of each role, with its name above it where there are several. */
const mermaid = (machines: Machines): string =>
  machines
    .map(([name, machine]) =>
      machines.length > 1 ? `%% role ${name}\n${chart(machine)}` : chart(machine),
    )
    .join('\n');
