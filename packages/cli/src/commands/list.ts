import type { catalogue } from '@conclave/algorithms';
import type { Command } from 'commander';
import { declare, flag } from '../input/options.js';
import { blocks, table } from '../output/text.js';
import { answer, type Session } from '../session.js';

const description = {
  name: 'list',
  description: 'list the algorithms of the catalogue',
  options: {
    json: flag('print an array of { id, name, problem, topology, messages, marks }'),
  },
  help: 'Examples:\n  conclave list\n  conclave list --json',
};

/** `conclave list`: the catalogue. */
export const listCommand = (program: Command, session: Session): void =>
  declare(program, description, async ({ json }) => {
    // all of them, which takes longer than the rest of the command line
    const { catalogue } = await import('@conclave/algorithms');
    const rows = catalogue.map(rowOf);
    answer(session, json, rows, () => {
      const { width } = session;
      const { bold, dim } = session.colours;
      const words = ['id', 'name', 'problem', 'topology', 'messages', 'marks'];
      const head = words.map((word) => bold(word));
      const options = catalogue.flatMap(({ name: protocol, options }) =>
        options.map(({ name, type, meaning }) => [`${protocol} ${name}`, dim(type), dim(meaning)]),
      );
      return blocks(
        table(
          [head, ...rows.map(({ marks, ...row }) => [...Object.values(row), marks.join(' ')])],
          width,
        ),
        options.length > 0
          ? `${bold('options')} of simulate, check, paths, mutate and chart, as in --option name=value\n${table(options, width)}`
          : '',
      );
    });
  });

/** `messages` is the cost in the notation of the literature. */
function rowOf({ id, name, make, marks }: (typeof catalogue)[number]) {
  const { problem, topology, cost } = make();
  return {
    id,
    name,
    problem,
    topology: topology.name,
    messages: [cost?.formula, cost?.remark].filter(Boolean).join(', '),
    marks: [...marks],
  };
}
