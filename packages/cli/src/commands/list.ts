import type { Command } from '@commander-js/extra-typings';
import { catalogue, type Entry, marksOf } from '@conclave/algorithms';
import { table } from '../output/table.js';
import { answer, type Session } from '../session.js';

/** `conclave list`: the catalogue. */
export function listCommand(program: Command, session: Session): void {
  program
    .command('list')
    .description('list the algorithms of the catalogue')
    .option('--json', 'print an array of { id, name, problem, topology, messages, marks }')
    .addHelpText('after', '\nExamples:\n  conclave list\n  conclave list --json')
    .action(({ json }) => {
      const rows = catalogue.map(rowOf);
      answer(session, json, rows, () => {
        const { bold, dim } = session.colours;
        const heading = ['id', 'name', 'problem', 'topology', 'messages', 'marks'].map((word) => bold(word));
        const options = catalogue.flatMap(optionRows).map(([option = '', ...rest]) => [option, ...rest.map((cell) => dim(cell))]);
        return [
          table([heading, ...rows.map((row) => [...Object.values(row).slice(0, -1).map(String), row.marks.join(' ')])]),
          ...(options.length > 0 ? [`${bold('options')} of simulate and chart, as in --option name=value\n${table(options)}`] : []),
        ].join('\n');
      });
    });
}

/** `messages` is the cost as the literature prints it. */
function rowOf({ id, name, make }: Entry) {
  const { problem, topology, cost } = make();
  return { id, name, problem, topology: topology.name, messages: cost?.formula ?? '', marks: marksOf(id) };
}

const optionRows = ({ name: protocol, options }: Entry): string[][] =>
  options.map(({ name, type, meaning }) => [`${protocol} ${name}`, type, meaning]);
