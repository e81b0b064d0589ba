import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { fieldOfCounter } from '../protocol/counters.js';
import { channelFaultRows, tolerated } from '../protocol/faults.js';
import { matches } from '../protocol/handles.js';
import { kindOfProperty } from '../protocol/property.js';
import type { Protocol, Shape } from '../protocol/protocol.js';
import { stateNodes } from '../protocol/regions.js';
import { chart } from './mermaid.js';
import { pathOf } from './reactions.js';

/**
 * The generated part of a protocol's page, as Markdown: facts, one chart per role, messages,
 * commands, properties and, when given, a run, each folded away under its name.
 *
 * @param extra `trace`: one ordinary run in the text form. `variants`: the protocol with other
 * options, of which those charts and messages are shown that differ. `parts`: by name, regions that
 * are specified elsewhere, as the machines of other protocols: drawn as one state each, their
 * messages left out, with a link.
 * @example console.log(specification(ricartAgrawala, { trace }))
 */
export function specification(
  protocol: Protocol,
  {
    trace,
    variants = [],
    parts = {},
  }: {
    readonly trace?: string;
    readonly parts?: Readonly<Record<string, { readonly title: string; readonly href: string }>>;
    readonly variants?: readonly (readonly [
      options: NonNullable<Protocol['options']>,
      protocol: Protocol,
    ])[];
  } = {},
): string {
  const { commands, properties } = protocol;
  const [statechart, messages] = [charts(protocol, parts), messageTable(protocol, parts)];
  const sections = [
    folded('Facts', table(['', ''], facts(protocol))),
    folded(
      'Statechart',
      ...statechart,
      ...Object.entries(parts).map(
        ([name, part]) => `Region ${code(name)}: the machine of ${link(part)}.`,
      ),
    ),
    folded(
      'Messages',
      'A message that the current state neither handles nor ignores is an error.',
      ...(messages ? [messages] : []),
      ...Object.entries(parts).map(
        ([name, part]) => `${code(`${name}-…`)}: the messages of ${link(part)}.`,
      ),
    ),
    folded(
      'Commands',
      table(
        ['command', 'kind', 'fields', 'meaning', 'handled in', 'ignored in'],
        Object.entries(commands).map(([type, shape]) => [
          code(type),
          shape.kind,
          ...shapeCells(shape),
          ...coverageCells(protocol, type),
        ]),
      ),
    ),
    folded(
      'Properties',
      properties.map((one) => `- **${kindOfProperty(one).title}**: ${one.name}`).join('\n'),
    ),
    trace === undefined ? '' : folded('The run as text', fenced('text', trace)),
    ...variants.map(([options, variant]) => {
      const [itsChart, itsMessages] = [charts(variant, parts), messageTable(variant, parts)];
      return folded(
        `With ${optionTexts(options)
          .map((text) => `<code>${text}</code>`)
          .join(', ')}`,
        ...(itsChart.join() === statechart.join() ? [] : itsChart),
        ...(itsMessages === messages ? [] : [itsMessages]),
      );
    }),
  ];
  return `${sections.filter(Boolean).join('\n\n')}\n`;
}

type Parts = NonNullable<NonNullable<Parameters<typeof specification>[1]>['parts']>;

const link = ({ title, href }: Parts[string]) => `[${title}](${href})`;

function charts({ roles, drawn = {} }: Protocol, parts: Parts): readonly string[] {
  const titles = Object.fromEntries(
    Object.entries(parts).map(([name, { title }]) => [name, title]),
  );
  const all = Object.entries(roles).map(
    ([name, { machine }]) =>
      [name, fenced('mermaid', chart(drawn[name] ?? machine, titles))] as const,
  );
  return all.flatMap(([name, text]) => (all.length === 1 ? [text] : [`### ${name}`, text]));
}

function messageTable(protocol: Protocol, parts: Parts): string {
  const own = Object.entries(protocol.messages).filter(
    ([type]) => !Object.keys(parts).some((part) => type.startsWith(`${part}-`)),
  );
  return table(
    ['message', 'fields', 'meaning', 'handled in', 'ignored in'],
    own.map(([type, shape]) => [
      code(type),
      ...shapeCells(shape),
      ...coverageCells(protocol, type),
    ]),
  );
}

const optionTexts = (options: NonNullable<Protocol['options']>) =>
  Object.entries(options).map(([option, value]) => `${option}: ${JSON.stringify(value)}`);

function facts(protocol: Protocol): readonly (readonly string[])[] {
  const { channels, citation, cost, id, name, options = {}, problem, roles, topology } = protocol;
  const stable = Object.entries(roles).flatMap(([role, { stable: fields = [] }]) =>
    fields.map((field) => code(`${role}.${field}`)),
  );
  const rows = [
    ['id', id ?? ''],
    ['name', code(name)],
    ['problem', problem],
    ['source', citation],
    ['network', topology.name],
    ['channels', channelText(channels)],
    [
      'cost',
      cost
        ? `${cost.formula} messages per ${cost.per}${cost.remark ? `, ${cost.remark}` : ''}`
        : '',
    ],
    ['options', optionTexts(options).map(code).join(', ')],
    ['stable storage', stable.join(', ')],
  ];
  return rows.filter(([, value]) => value);
}

function channelText(channels: Protocol['channels']): string {
  const { order, time = 'untimed' } = channels;
  const timed = time === 'untimed' ? [] : [`messages take ${time.delay.join(' to ')} ms`];
  return [
    order === 'fifo' ? 'FIFO' : 'any order',
    ...channelFaultRows.map(({ count, name: [one, many] }) => {
      const most = tolerated({ channels }, count);
      return most === 0
        ? `no ${one}`
        : most < Infinity
          ? `up to ${most} ${many}`
          : `${one} allowed`;
    }),
    ...timed,
  ].join(', ');
}

function shapeCells({ fields = [], counters = [], meaning }: Shape): readonly string[] {
  const counted = counters.map(fieldOfCounter);
  const cells = fields.map((field) => code(field) + (counted.includes(field) ? ' (counter)' : ''));
  return [cells.join(', '), meaning];
}

/** The states that handle, and those that ignore, events of `type`, role by role. */
function coverageCells({ roles }: Protocol, type: string): readonly string[] {
  const single = Object.keys(roles).length === 1;
  const cell = (column: 'handled' | 'ignored') =>
    Object.entries(roles)
      .flatMap(([role, { machine }]) => {
        const covered = coverage(machine, type);
        const states = covered[column];
        if (states.length === 0) return [];
        const isAll = states.length === covered.states.length;
        const text = isAll ? 'every state' : states.map(code).join(', ');
        return single ? [text] : [`${role}: ${text}`];
      })
      .join('; ');
  return [cell('handled'), cell('ignored')];
}

/** A part that a reader opens; none if it has only its title, or its last text is empty. */
const folded = (title: string, ...body: readonly string[]) =>
  body.at(-1)
    ? ['<details>', `<summary>${title}</summary>`, ...body, '</details>']
        .join('\n\n')
        .replace('<details>\n\n', '<details>\n')
    : '';

const fenced = (language: string, text: string) => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

const code = (text: string) => `\`${text}\``;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const row = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ')).join(' | ')} |`;
  return [row(head), `|${'---|'.repeat(head.length)}`, ...rows.map(row)].join('\n');
}

/** The innermost states in which a machine handles an event, and those in which it ignores it. */
interface Coverage {
  readonly handled: readonly string[];
  readonly ignored: readonly string[];
  /** Every innermost state, in the order of the config. */
  readonly states: readonly string[];
}

export function coverage(machine: AnyStateMachine, type: string): Coverage {
  const innermost = stateNodes(machine).filter(
    (node) => node.type === 'atomic' || node.type === 'final',
  );
  const taken = innermost
    .map((node) => ({ node, choices: choicesFor(node, type) }))
    .filter(({ choices }) => choices.length > 0);
  const acts = ({ target, actions }: AnyTransitionDefinition) =>
    target !== undefined || actions.length > 0;
  return {
    handled: taken.filter(({ choices }) => choices.some(acts)).map(({ node }) => pathOf(node)),
    ignored: taken.filter(({ choices }) => !choices.some(acts)).map(({ node }) => pathOf(node)),
    states: innermost.map(pathOf),
  };
}

/**
 * The transitions that may answer `type` in `node`, in XState's order: exact name first, inside
 * before outside, up to one unguarded.
 */
function choicesFor(node: AnyStateNode, type: string): readonly AnyTransitionDefinition[] {
  const rank = (descriptor: string) => (descriptor === type ? Infinity : descriptor.length);
  const own = [...node.transitions]
    .filter(([descriptor]) => matches(descriptor, type))
    .sort(([a], [b]) => rank(b) - rank(a))
    .flatMap(([, choices]) => choices);
  const sure = own.findIndex(({ guard }) => guard === undefined);
  if (sure >= 0) return own.slice(0, sure + 1);
  return node.parent ? [...own, ...choicesFor(node.parent, type)] : own;
}
