import { chart, specification } from '@conclave/core/chart';
import type { Protocol } from '@conclave/core/protocol';
import type { Command } from 'commander';
import { choice, declare, flag } from '../input/options.js';
import { protocolFor, protocolMeaning, protocolOptions } from '../input/protocol.js';
import { answer, type Session } from '../session.js';

const description = {
  name: 'chart',
  description: "print a protocol's statechart",
  argument: ['protocol', protocolMeaning] as const,
  options: {
    format: choice(
      'format',
      ['mermaid', 'markdown'],
      'mermaid: the statechart; markdown: the specification (default: mermaid)',
    ),
    ...protocolOptions,
    json: flag('print { protocol, format, text }'),
  },
  help: 'Examples:\n  conclave chart ricart-agrawala\n  conclave chart A7 --option piggyback --format markdown',
};

/** `conclave chart`: a protocol's statechart, or its whole specification. */
export const chartCommand = (program: Command, session: Session): void =>
  declare(program, description, async (options, name) => {
    const { format = 'mermaid', json } = options;
    const protocol = await protocolFor(name, options);
    const text = format === 'mermaid' ? mermaid(protocol) : specification(protocol);
    answer(session, json, { protocol: protocol.name, format, text }, () => text);
  });

/** The chart of each role, with its name above it where there are several. */
function mermaid({ roles }: Protocol): string {
  const charts = Object.entries(roles).map(([name, { machine }]) => ({
    name,
    text: chart(machine),
  }));
  return charts
    .map(({ name, text }) => (charts.length > 1 ? `%% role ${name}\n${text}` : text))
    .join('\n');
}
