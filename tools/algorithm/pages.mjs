/** The generated part of an algorithm's page, and its pictures. */
import { relative } from 'node:path/posix';
import { catalogue } from '@conclave/algorithms';
import { specification } from '@conclave/core/chart';
import { nodesAccepting, optionalCommands } from '@conclave/core/internal';
import { idleFor } from '@conclave/core/internal/simulation';
import { closedLoop, oneShot, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { replay, spaceTimeSvg, traceText } from '@conclave/core/trace';
import { checksOf, fileOf } from './files.mjs';
import { listsBeside, mutantsPart } from './mutants.mjs';

/** A run of three nodes in which one crashes, until the others suspect it. */
const crashRun = (protocol, topology) => ({
  workload: idleFor(360),
  faults: [{ kind: 'crash', node: topology.nodes.at(-1), at: 60, inside: false }],
  conditions: { delay: { kind: 'uniform', least: 50, most: 100 }, order: protocol.channels.order },
});

/** A run that `command` begins at two nodes at about the same time. */
function commandedRun(protocol, topology, command, loss) {
  const able = nodesAccepting(protocol, topology, command.type);
  const nodes = [...new Set([able[0], able.at(-1)])];
  const after = { kind: 'uniform', least: 0, most: 3 };
  const takes = (node) => protocol.commands[command.type].when?.(node) !== false;
  const once = (system) => {
    const taking = system.nodes.filter((node) => nodes.includes(node.id) && takes(node));
    return oneShot(command, { nodes: taking.map(({ id }) => id), after })(system);
  };
  return {
    workload: 'release' in protocol.commands ? closedLoop({ nodes, think: after }) : once,
    conditions: {
      delay: { kind: 'uniform', least: 1, most: 9 },
      order: protocol.channels.order,
      loss,
    },
    ...(protocol.crashNotice && {
      faults: [{ kind: 'crash', node: topology.nodes[0], at: 10, inside: false }],
    }),
  };
}

/**
 * An ordinary run of three nodes, short enough to read; where reports of crashes are assumed, the
 * first node crashes.
 *
 * @param loss how much is lost, where what the protocol does without a loss is not the point
 */
function ordinaryRun(protocol, loss = 0) {
  const topology = protocol.topology.example(3);
  const [command] = optionalCommands(protocol);
  const options = command
    ? commandedRun(protocol, topology, command, loss)
    : crashRun(protocol, topology);
  return simulate({ protocol, topology, record: true, ...options }).trace;
}

/** At the beginning of a transition's description: the rules that it follows, such as `RA2, RA4`. */
const rulesOf = ({ description = '' }) =>
  /^[A-Z]+\d+(, [A-Z]+\d+)*(?=:|$)/.exec(description)?.[0].split(', ') ?? [];

/**
 * The run as a space-time diagram, each step with the numbers of its rules. In a lock made of
 * locks, the client's state counts.
 */
function annotated(protocol, trace) {
  const notes = trace.lines.map(() => '');
  replay(protocol, protocol.topology.example(3), trace, (step, transitions) => {
    notes[step] = [...new Set(transitions.flatMap(rulesOf))].join(' ');
  });
  const isComposed = trace.lines.some(({ after = '' }) => after.includes('client.'));
  return spaceTimeSvg(trace, {
    title: `${protocol.title}: one run`,
    strong: [isComposed ? 'client.held' : 'held', 'eating', 'organiser.held', 'leader'],
    notes,
  });
}

/** Without what is the same on all pages. */
const compact = (text) =>
  text
    .replace('A message that the current state neither handles nor ignores is an error.\n\n', '')
    .replaceAll('</details>\n\n<details>', '</details>\n<details>');

/** A drawing in one line: nobody reads its text. */
const inOneLine = (svg) => `${svg.trim().replace(/\n/g, '')}\n`;

/** The algorithms whose machines are regions of this one, with links from its page to theirs. */
const partsOf = ({ folder, parts }) =>
  Object.fromEntries(
    Object.entries(parts).map(([region, id]) => {
      const part = catalogue.find((one) => one.id === id);
      if (!part) throw new Error(`${folder}: no algorithm has the id ${id}`);
      const href = `${relative(folder, part.folder)}/README.md`;
      return [region, { title: `${part.id} ${part.make().title}`, href }];
    }),
  );

/**
 * What is generated for the page of an algorithm: parts by what their markers say, pictures by file.
 * Its `checks.ts` may have further `parts` and `pictures`.
 */
export async function pageParts(entry) {
  const { loss, parts = {}, pictures = () => ({}) } = await checksOf(entry.folder);
  const protocol = entry.make();
  const caption = `A run of ${protocol.title} as a space-time diagram; each step has the number of its rule`;
  const drawn = Object.entries(pictures());
  const page = fileOf(entry.folder, 'README.md');
  return {
    parts: {
      run: `![${caption}](run.svg)`,
      'npm run generate': compact(specification(protocol, { parts: partsOf(entry) })),
      mutants: mutantsPart(listsBeside(page), page),
      ...Object.fromEntries(
        drawn.map(([name, { title }]) => [
          name,
          `![${title}: the run as a space-time diagram](${name}.svg)`,
        ]),
      ),
      ...Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part()])),
    },
    pictures: Object.fromEntries([
      [
        fileOf(entry.folder, 'run.svg'),
        inOneLine(annotated(protocol, ordinaryRun(protocol, loss))),
      ],
      ...drawn.map(([name, { title, trace }]) => [
        fileOf(entry.folder, `${name}.svg`),
        inOneLine(spaceTimeSvg(trace, { title })),
      ]),
    ]),
  };
}

/** All that is known about an algorithm: as on its page, with a run as text and all its charts. */
export async function wholeSpecification(entry) {
  const { loss } = await checksOf(entry.folder);
  const protocol = entry.make();
  return specification(protocol, {
    trace: traceText(ordinaryRun(protocol, loss)),
    variants: entry.charted.map((options) => [options, entry.make(options)]),
    parts: partsOf(entry),
  });
}

/** The picture of the README: three nodes compete, messages overtake each other. */
export function readmePicture() {
  const { trace } = simulate({
    protocol: catalogue.find(({ id }) => id === 'A3').make(),
    topology: complete(3),
    workload: closedLoop(),
    conditions: { order: 'any', delay: { kind: 'uniform', least: 5, most: 40 } },
    seed: 4,
    record: true,
  });
  return inOneLine(spaceTimeSvg(trace));
}
