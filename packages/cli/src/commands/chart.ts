import { type Command, Option } from '@commander-js/extra-typings';
import { chart, specification } from '@conclave/core/chart';
import type { Protocol } from '@conclave/core/protocol';
import { collected } from '../input/option-values.js';
import { protocolArgument, protocolFor, protocolOptions } from '../input/protocol.js';
import { answer, type Session } from '../session.js';

/** `conclave chart`: a protocol's statechart, or its whole specification. */
export function chartCommand(program: Command, session: Session): void {
  program
    .command('chart')
    .description("print a protocol's statechart")
    .argument('<protocol>', protocolArgument)
    .addOption(
      new Option('--format <format>', 'mermaid: the statechart; markdown: the specification')
        .choices(['mermaid', 'markdown'] as const)
        .default('mermaid' as const),
    )
    .option(...protocolOptions.option, collected)
    .option(...protocolOptions.export)
    .option('--json', 'print { protocol, format, text }')
    .addHelpText('after', '\nExamples:\n  conclave chart ricart-agrawala\n  conclave chart A7 --option piggyback --format markdown')
    .action(async (name, options) => {
      const protocol = await protocolFor(name, options);
      const text = options.format === 'mermaid' ? mermaid(protocol) : specification(protocol);
      answer(session, options.json, { protocol: protocol.name, format: options.format, text }, () => text);
    });
}

/** The chart of each role, headed by its name where there are several. */
function mermaid({ roles }: Protocol): string {
  const charts = Object.entries(roles).map(([name, { machine }]) => ({ name, text: chart(machine) }));
  return charts.map(({ name, text }) => (charts.length > 1 ? `%% role ${name}\n${text}` : text)).join('\n');
}
