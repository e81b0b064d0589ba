import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inspectStorage } from '@conclave/core/internal/embedding/node';
import { ConclaveError } from '@conclave/core/protocol';
import type { Command } from 'commander';
import { attempt } from '../errors.js';
import { declare, flag, parsed } from '../input/options.js';
import { blocks, table } from '../output/text.js';
import { answer, type Session } from '../session.js';

const description = {
  name: 'members',
  description:
    'show as what nodes are registered in their storages, and how to go to other nodes or options',
  argument: ['path', 'a storage that fileStorage wrote, or a folder of them'] as const,
  options: {
    nodes: parsed('a,b,c', 'the nodes of the next epoch', (list) => list.split(',')),
    json: flag(
      'print { members: [{ path, node, epoch, nodes, registered, incarnation, storage, usedBy }], complaints, next }',
    ),
  },
  help: 'Examples:\n  conclave members data\n  conclave members data --nodes a,b,c,d,e\n\nExit code 1 where the storages do not fit together, or the nodes cannot be those of the next epoch. Nothing is changed.',
};

interface Member {
  readonly path: string;
  readonly node: string;
  readonly epoch: number;
  readonly nodes: readonly string[];
  readonly registered: boolean;
  readonly incarnation: number;
  readonly storage: string;
  readonly usedBy: string | null;
}

/** `conclave members`: the epochs in the storages of nodes. */
export const membersCommand = (program: Command, session: Session): void =>
  declare(program, description, ({ nodes, json }, path) => {
    const members = storagesIn(path).map(memberOf);
    const complaints = [...complaintsAbout(members), ...(nodes ? obstacles(members, nodes) : [])];
    const next = nodes && complaints.length === 0 ? stepsTo(members, nodes) : [];
    session.exitCode = complaints.length === 0 ? 0 : 1;
    answer(session, json, { members, complaints, next }, () => {
      const { bold, red, dim } = session.colours;
      const head = ['node', 'epoch', 'nodes', 'registered', 'incarnation', 'used by', 'path'].map(
        (word) => bold(word),
      );
      const rows = members.map(
        ({ node, epoch, nodes: all, registered, incarnation, usedBy, path: file }) => [
          ...[
            node,
            String(epoch),
            all.join(','),
            registered ? 'yes' : 'no',
            String(incarnation),
            usedBy ?? 'nobody',
            dim(file),
          ],
        ],
      );
      return blocks(
        table([head, ...rows], session.width),
        complaints.map((line) => `${red('✗')} ${line}\n`).join(''),
        next.map((line) => `${line}\n`).join(''),
      );
    });
  });

/** Of locks by name, the storage of the node itself has the name -node. */
const ofTheNode = 'name--node';

function storagesIn(path: string): readonly string[] {
  if (!existsSync(path))
    throw new ConclaveError(
      'bad-input',
      `There is nothing at '${path}'`,
      'Give the folder of the storages, such as data.',
    );
  if (!statSync(path).isDirectory()) return [path];
  const found = readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const inner = join(path, entry.name, ofTheNode);
    if (entry.isDirectory()) return existsSync(inner) ? [inner] : [];
    return /\.(lock|next|journal)$/.test(entry.name) || entry.name.startsWith('.')
      ? []
      : [join(path, entry.name)];
  });
  const own = found.filter((file) => file.endsWith(ofTheNode));
  if (found.length === 0)
    throw new ConclaveError(
      'bad-input',
      `There is no storage in '${path}'`,
      'Give the folder to which fileStorage writes.',
    );
  return (own.length > 0 ? own : found).sort();
}

function memberOf(path: string): Member {
  const { record, usedBy } = attempt(`The storage '${path}' cannot be read`, () =>
    inspectStorage(path),
  );
  const { incarnation, registration } = record;
  if (!registration)
    throw new ConclaveError(
      'bad-input',
      `The storage '${path}' is of a node that was never registered`,
      'Start it over a transport such as tcp, or remove the file.',
    );
  const { node, terms, nodes, registered, storage } = registration;
  return {
    path,
    node,
    epoch: Number(terms.epoch),
    nodes,
    registered,
    incarnation,
    storage,
    usedBy: usedBy ?? null,
  };
}

function complaintsAbout(members: readonly Member[]): readonly string[] {
  const latest = Math.max(...members.map(({ epoch }) => epoch));
  const first = members.find(({ epoch }) => epoch === latest);
  return members.flatMap((member) => {
    const { node, epoch, nodes, path } = member;
    const twin = members.find((other) => other !== member && other.node === node);
    return [
      ...(twin && twin.path < path
        ? [
            `'${twin.path}' and '${path}' are both of node ${node}: remove the one that is not its own.`,
          ]
        : []),
      ...(epoch < latest && nodes.length > 0
        ? [
            `Node ${node} is in epoch ${epoch}, and ${first?.node} in epoch ${latest}: start it with epoch ${latest}.`,
          ]
        : []),
      ...(epoch === latest && nodes.join() !== first?.nodes.join()
        ? [
            `In epoch ${epoch} node ${node} names the nodes ${nodes.join(', ')}, and node ${first?.node} names ${first?.nodes.join(', ')}.`,
          ]
        : []),
    ];
  });
}

function obstacles(members: readonly Member[], next: readonly string[]): readonly string[] {
  const [{ nodes = [] } = {}] = members;
  const staying = nodes.filter((node) => next.includes(node));
  const running = members.filter(({ usedBy }) => usedBy !== null);
  return [
    ...(2 * staying.length > nodes.length
      ? []
      : [
          `Of the nodes ${nodes.join(', ')}, ${staying.length} would stay: more than half must. Replace fewer of them at once.`,
        ]),
    ...running.map(({ node, usedBy }) => `Node ${node} runs, as ${usedBy}: stop it first.`),
  ];
}

function stepsTo(members: readonly Member[], next: readonly string[]): readonly string[] {
  const epoch = Math.max(...members.map((member) => member.epoch)) + 1;
  const [{ nodes = [] } = {}] = members;
  const unseen = nodes.filter((node) => !members.some((member) => member.node === node));
  return [
    ...(unseen.length > 0 ? [`Stop ${unseen.join(', ')}, whose storages are not here.`] : []),
    `Give all of ${next.join(', ')} the options nodes: ${JSON.stringify(next)} and epoch: ${epoch}, keep their storages, and start them.`,
    'They take part when all of them have started, and what they promised in the last epoch has lapsed.',
  ];
}
