import { type Proof, type ProofFinding, prove } from '@conclave/core/exploration';
import { standardProperties } from '@conclave/core/internal/protocol';
import type { Property, Protocol } from '@conclave/core/protocol';
import { type Topology, topology } from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import type { Command } from 'commander';
import { badInput } from '../errors.js';
import { declare, defined, jsonOption, parsed, positive, text } from '../input/options.js';
import { protocolFor, protocolMeaning, protocolOptions } from '../input/protocol.js';
import { blocks, counted, few, heading, number, table, titleOf } from '../output/text.js';
import { again, repeatable } from '../output/trace.js';
import { answer, complain, type Session, stopOf } from '../session.js';

const proveOptions = {
  property: text('text', 'only the properties whose names have this text'),
  topology: text(
    'spec',
    'the networks, with n for the number of nodes, such as chain:n (default: what the protocol needs)',
  ),
  views: parsed('k', 'how many nodes a view has: 2, 3 or 4 (default: 2)', positive),
  ...protocolOptions,
  ...jsonOption,
};

const help = `What a view is, and what a proof rests on: docs/for-every-n.md.

Exit codes:
  0  each property holds for every n
  1  one is refuted, by a run of a small network
  2  a usage or input error; or one is not proved, which says nothing about it
  130  interrupted by Ctrl-C

Examples:
  conclave prove A1
  conclave prove A11 --property 'at most one'`;

const description = {
  name: 'prove',
  description: 'prove properties of states for networks of every size',
  argument: ['protocol', protocolMeaning] as const,
  options: proveOptions,
  help,
};

const [handled = '', , noStepFails = ''] = standardProperties; // no deadlock is not of states

/** `conclave prove`: properties of states for every number of nodes. */
export const proveCommand = (program: Command, session: Session): void =>
  declare(program, description, async (options, name) => {
    const protocol = await protocolFor(name, options);
    const networks = networksOf(options.topology);
    const properties = chosenFrom(protocol, options.property);
    const stop = stopOf(session);
    const proof = repeatable(again(session.argv), () =>
      prove(protocol, {
        ...defined({ networks, views: options.views }),
        ...stop,
        properties,
      }),
    );
    const findings = proof.properties.filter(({ name: property }) =>
      property.includes(options.property ?? ''),
    );
    const unproved = findings.filter(({ verdict }) => verdict === 'not proved');
    const isInterrupted = stop.stop?.() === true;
    if (findings.some(({ verdict }) => verdict === 'refuted')) session.exitCode = 1;
    else if (unproved.length > 0) session.exitCode = isInterrupted ? 130 : 2;
    answer(session, options.json, { ...proof, properties: findings }, () =>
      summary(session, protocol, { ...proof, properties: findings }),
    );
    complain(
      session,
      unproved.length === 0
        ? undefined
        : `${isInterrupted ? 'interrupted; ' : ''}not proved: ${counted(unproved.length, 'property', 'properties')}.`,
    );
  });

/** @throws {ConclaveError} `bad-input` for a text without n. */
function networksOf(spec: string | undefined): ((n: number) => Topology) | undefined {
  if (spec === undefined) return undefined;
  if (!/:n\b/.test(spec))
    throw badInput(
      `'${spec}' is one network, and a proof is about networks of every size`,
      'Write n for the number of nodes, as in chain:n.',
    );
  return (n) => topology(spec.replace(/:n\b/, `:${n}`));
}

/** @throws {ConclaveError} `bad-input` where no property has the text. */
function chosenFrom({ properties }: Protocol, part = ''): readonly Property[] {
  const isOfStates = ({ kind }: Property) => kind === 'always' || kind === 'never';
  const names = [
    ...properties.filter(isOfStates).map(({ name }) => name),
    ...[handled, noStepFails],
  ];
  if (!names.some((name) => name.includes(part)))
    throw badInput(`No property of states has the text '${part}'`, `There are: ${few(names)}.`);
  return properties.filter((property) => isOfStates(property) && property.name.includes(part));
}

const marks: Readonly<Record<ProofFinding['verdict'], string>> = {
  'holds for every n': '✓',
  refuted: '✗',
  'not proved': '?',
};

function summary(session: Session, protocol: Protocol, proof: Proof): string {
  const { colours } = session;
  const { networks, views, properties, assumptions, figures } = proof;
  const isProved = properties.some(({ verdict }) => verdict === 'holds for every n');
  const [first = '', ...others] = isProved ? assumptions : [];
  const assumed: [string, string][] = isProved ? [['assumed', first]] : [];
  const paint = {
    'holds for every n': colours.green,
    refuted: colours.red,
    'not proved': colours.yellow,
  };
  const rows = properties.map(({ name, verdict }) => [
    paint[verdict](`${marks[verdict]} ${verdict}`),
    name,
  ]);
  const compared: [string, string][] = figures
    ? [
        [
          'views',
          `${number(figures.views)} of ${views} nodes, by ${counted(figures.steps, 'step')} of ${number(figures.worlds)} worlds, or states of nodes`,
        ],
        [
          'compared',
          `${counted(figures.compared.steps + figures.alike.steps, 'step')} of nodes in networks of up to ${Math.max(figures.compared.nodes, figures.alike.nodes)}`,
        ],
      ]
    : [];
  return blocks(
    heading(titleOf(protocol, colours), [['networks', networks], ...assumed, ...compared], session),
    table(rows),
    ...details(properties),
    isProved ? `Assumed, too:\n${others.map((line) => `  ${line}\n`).join('')}` : '',
  );
}

/** Why they are not proved, or the runs that refute them; what is the same for several, once. */
function details(findings: readonly ProofFinding[]): readonly string[] {
  const texts = new Map<string, string[]>();
  for (const { name, reason, because = [], trace, network } of findings) {
    if (!trace && reason === undefined) continue;
    const text = trace
      ? `violated on ${network}\n${linesText(trace.lines)}\n`
      : `${reason}\n${because.map((line) => `  ${line}\n`).join('')}`;
    texts.set(text, [...(texts.get(text) ?? []), name]);
  }
  return [...texts].map(
    ([text, names]) => `${names.length > 1 ? 'All of these' : names[0]}: ${text}`,
  );
}
