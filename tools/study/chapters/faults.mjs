/** D6: the table of faults, derived by exploration, and what the documents say about it. */
import { explore } from '@conclave/check';
import { always } from '@conclave/core/protocol';
import { command, folded, listed, number, page, table } from '../evidence.mjs';
import { claims } from '../fault-claims.mjs';
import {
  cellOf,
  columns,
  faultsIn,
  isOfLocks,
  liveness,
  mostStates,
  rows,
  safety,
  soundOf,
} from '../fault-verdicts.mjs';
import { linkedName } from '../locks.mjs';

const quickKeys = ['A1', 'A3', 'A11'];
/** Rows that are computed in a moment. */
const sampleKeys = ['A1', 'A11', 'C2'];
/** Built by `npm run build`; the site has it as well. */
const studio = '../../packages/studio/dist/studio.html';

export const chapter = {
  name: 'faults',
  title: 'The table of faults',
  about:
    'D6: what the loss, duplication and overtaking of a message, a crash and a restart do to each lock, election and wave, and what the documents say about it.',
  place: 4.5,
  jobs: ({ quick }) =>
    rowsOf(quick).map((row) => ({
      label: row.words,
      compute: () => {
        const { row: _, ...found } = resultOf(row);
        return found;
      },
    })),
  page: (found, { quick }) => {
    const results = rowsOf(quick).map((row, place) => ({ row, ...found[place] }));
    return { markdown: text(results, quick) };
  },
  sample: () =>
    rows.filter(({ key }) => sampleKeys.includes(key)).map((row) => lineOf(resultOf(row))),
};

const rowsOf = (quick) => (quick ? rows.filter(({ key }) => quickKeys.includes(key)) : rows);

/** A row: by column, the cells of its faults. */
const resultOf = (row) => ({
  row,
  sound: soundOf(row),
  cells: columns.map((column) => faultsIn(column, row).map((fault) => cellOf(row, fault))),
});

const lineOf = (result) => `| ${cellsOf(result).join(' | ')} |`;
const cellsOf = ({ row, cells }) => [
  nameOf(row),
  `\`${row.topology.spec}\``,
  ...cells.map((some) => some.map(cellText).join(', ') || '·'),
];

const nameOf = ({ entry, protocol, key }) => {
  const [, ...options] = key.split(' ');
  const name = linkedName({ ...entry, make: () => protocol });
  return options.length === 0 ? name : `${name}, ${options.join(', ')}`;
};

function cellText({ mark, who, steps, link, few, once, isAssumed }) {
  const text = link === undefined ? mark : `[${mark} ${steps}](${studio}#${link})`;
  const notes = `${isAssumed ? '°' : ''}${once ? '¹' : ''}${few ? ['³', '²'][few.length - 1] : ''}`;
  return `${who ? `${who} ` : ''}${text}${notes}`;
}

const head = ['algorithm', 'network', ...columns.map(({ title }) => title)];
const tableOf = (results) => table(head, results.map(cellsOf));

function text(results, quick) {
  const [locks, others] = [true, false].map((isLock) =>
    results.filter(({ row }) => isOfLocks(row) === isLock),
  );
  const all = results.flatMap(({ cells }) => cells.flat());
  requireSound(results);
  return page(
    `Each cell is an exploration of every interleaving of a small system, in which one thing fails: ${all.length} systems, the largest of ${number(Math.max(...all.map(({ states }) => states)))} states. ${soundText(results)} Each node gets one command; where a lock stands a fault so, two.`,
    legend(all),
    '## Locks',
    tableOf(locks),
    ...(others.length === 0 ? [] : ['## Elections and waves', tableOf(others)]),
    '## How to read it',
    reading(all),
    '## What it says',
    quick ? undefined : findings(results),
    discardsText(results),
    ...(quick ? [] : ['## What the documents say', claimsText(results)]),
  );
}

/** A table of faults says nothing of a system that breaks without one. */
function requireSound(results) {
  for (const { row, sound } of results)
    if (!['✓', '…'].includes(sound.mark))
      throw new Error(`${row.words} without a fault: ${sound.mark}.`);
}

function soundText(results) {
  const open = results.filter(({ sound }) => sound.mark === '…').map(({ row }) => row.key);
  const rest = open.length === 0 ? '' : `; ${listed(open)} has too many states here even so`;
  return `Without a fault all rows are safe and live${rest}.`;
}

function legend(all) {
  const uses = (some) => all.some(some);
  const marks = [
    ['✓', 'safe and live'],
    ['○', 'safe, not live'],
    ['✗', 'unsafe'],
    ['!', 'a machine fails'],
    ['○?', `not live, and safety is not decided within ${number(mostStates)} states`],
    ['…', `not decided within ${number(mostStates)} states`],
    ['·', 'cannot happen'],
  ].filter(([mark]) => mark === '·' || uses((cell) => cell.mark === mark));
  const notes = [
    [
      '°',
      'the protocol declares it (of crashes it promises safety only)',
      ({ isAssumed }) => isAssumed,
    ],
    ['¹', 'one command each: two are too many to explore', ({ once }) => once],
    ['²', 'two nodes start', ({ few }) => few?.length === 2],
    ['³', 'one node starts', ({ few }) => few?.length === 1],
  ].filter(([, , has]) => uses(has));
  return [
    `${marks.map(([mark, meaning]) => `**${mark}** ${meaning}`).join('; ')}.`,
    'The number is how many steps the run takes that shows it; where a run stops for good it is a shortest one. The link opens it in the studio, step by step: on the site, or in a clone after `npm run build`.',
    `${notes.map(([note, meaning]) => `${note} ${meaning}`).join('; ')}.`,
  ].join(' ');
}

function reading(all) {
  const example = all.find(({ mark }) => mark === '○');
  const columnsText = table(
    ['column', 'options of `conclave check`'],
    [
      ['a message lost', '`--loss 1`'],
      ['doubled', '`--duplicate 1`'],
      ['any order', '`--order any`'],
      [
        'crash while idle',
        "`--crash 1 --atomic-steps --crash-in '!waiting,!critical'`; in elections and waves not where a node has decided or is reached; and not of the nodes of the seventh column",
      ],
      ['waiting, inside', '`--crash 1 --atomic-steps --crash-in waiting`, `critical`'],
      [
        'of the coordinator, …',
        '`--crash 1 --atomic-steps --crash-in coordinator`, `representative`, `initiator`, `token`, `leader`',
      ],
      ['anywhere, also inside a step', '`--crash 1`'],
      ['with a restart', '`--crash 1 --restart 1`'],
    ],
  );
  return page(
    columnsText,
    `All with \`--unexpected discard\`, on the network of the row: that each state lists the messages that it handles is a convention of this catalogue, and an unexpected message is not a broken algorithm. The node drops it, and the run goes on. The first ○ of the table is`,
    command(example.command),
    'A restarted node has its initial state, but for what its protocol keeps on stable storage. In this column a run in which a node stays down is not held against liveness; the command line does judge such runs. An election that has been decided need not be held again where its leader crashes.',
    folded(
      'What counts as safe and as live',
      `Never: ${safety.map((name) => `*${name}*`).join('; ')}, as far as the problem of the row says it.`,
      `Eventually: ${liveness.map((name) => `*${name}*`).join('; ')}; and no node waits in a quiescent state. B15 draws lots: with probability 1. B10 draws lots and, untimed, need not end: of it, that no node waits for nothing.`,
    ),
  );
}

const cellAt = (results, key, column, who) => {
  const result = results.find(({ row }) => row.key === key);
  const at = columns.findIndex(({ name }) => name === column);
  return result.cells[at].find((cell) => who === undefined || cell.who === who);
};

/** The ids of the rows with this mark. */
const withMark = (results, column, ...marks) =>
  results.flatMap(({ row }) => {
    const cell = cellAt(results, row.key, column);
    return cell && marks.includes(cell.mark) ? [row.key] : [];
  });
const idsText = (ids) => (ids.length === 0 ? 'none' : listed(ids));

function findings(results) {
  const [locks, others] = [true, false].map((isLock) =>
    results.filter(({ row }) => isOfLocks(row) === isLock),
  );
  const fifo = results.filter(({ row }) => row.protocol.channels.order === 'fifo');
  const lines = [
    `**Loss.** Locks that stay live: ${idsText(withMark(locks, 'loss', '✓'))}; that become unsafe: ${idsText(withMark(locks, 'loss', '✗'))}. Elections and waves that stay live: ${idsText(withMark(others, 'loss', '✓'))}; that become unsafe: ${idsText(withMark(others, 'loss', '✗'))}.`,
    `**Duplication.** Unsafe: ${idsText(withMark(results, 'duplication', '✗'))}. Safe and live: ${idsText(withMark(results, 'duplication', '✓'))}.`,
    `**Order.** ${fifo.length} rows assume FIFO channels. Without them, unsafe: ${idsText(withMark(fifo, 'order', '✗'))}; not live: ${idsText(withMark(fifo, 'order', '○'))}; no difference in these systems: ${idsText(withMark(fifo, 'order', '✓'))}.`,
    `**A crash of one that is idle** is harmless to ${idsText(withMark(results, 'idle', '✓'))}; **of one that waits** to ${idsText(withMark(results, 'waiting', '✓'))}; **of one that is inside** to ${idsText(withMark(locks, 'inside', '✓'))}. A crash alone makes unsafe: ${idsText(withMark(results, 'step', '✗'))}.`,
    `**A restart** is safe and live for ${idsText(withMark(results, 'restart', '✓'))}, and unsafe for ${withMark(results, 'restart', '✗').length} of ${results.length} rows: a node that has forgotten what it sent, or that it had the token, contradicts what the others know.`,
    `**Not decided:** ${idsText([...new Set(columns.flatMap(({ name }) => withMark(results, name, '…', '○?')))])}. Of A19, \`npm run verify\` proves a loss, and a crash with a restart, for messages of one second: [verified](../verified.md).`,
  ];
  return lines.map((line) => `- ${line}`).join('\n');
}

function discardsText(results) {
  const all = results.flatMap(({ row, cells }) => cells.flat().map((cell) => ({ row, ...cell })));
  const some = all.filter(({ discarded }) => discarded.length > 0);
  const places = some.reduce((sum, { discarded }) => sum + discarded.length, 0);
  const clean = some.filter(({ mark }) => mark === '✓');
  return `**Discarded messages.** In ${some.length} of the ${all.length} systems a node got a message that its state does not handle (${number(places)} pairs of message and state in all). Such a run would have ended there. ${clean.length} of these systems are safe and live nevertheless: ${idsText([...new Set(clean.map(({ row }) => row.key))])}.`;
}

/** Systems of the discussion that are no cells of the table. */
function furtherCells() {
  const a1 = rows.find(({ key }) => key === 'A1');
  const { mayCrash } = faultsIn(
    columns.find(({ name }) => name === 'idle'),
    a1,
  )[0].budget;
  const a14 = rows.find(({ key }) => key === 'A14');
  const [exclusion] = explore(a14.protocol, a14.topology, {
    properties: [always('one node is inside', (system) => system.count('critical') <= 1)],
    limits: { states: mostStates },
  }).properties;
  return {
    'A1 mid-release': cellOf(a1, { budget: { crashes: 1, mayCrash } }),
    'A14 exclusion': { mark: exclusion.verdict === 'violated' ? '✗' : '✓', name: 'A14, no fault' },
  };
}

const columnText = {
  step: 'crash anywhere',
  order: 'any order',
  idle: 'crash while idle',
  waiting: 'crash while waiting',
  inside: 'crash inside',
  restart: 'restart',
};

function claimsText(results) {
  const further = furtherCells();
  const foundText = (says, [key, column, mark, who]) => {
    const cell = further[key] ?? cellAt(results, key, column, who);
    if (cell?.mark !== mark)
      throw new Error(
        `'${says}': the discussion in tools/study/fault-claims.mjs is about ${key} ${column ?? ''} ${mark}, and ${cell?.mark} was computed.`,
      );
    const what =
      column === undefined
        ? ''
        : ` ${who ? `crash of the ${who}` : (columnText[column] ?? column)}`;
    return `${cell.name ?? key.replace(' mid-release', ', crash in its release')}${what} ${cellText({ ...cell, who: undefined })}`;
  };
  return table(
    ['document', 'it says', 'computed', 'agreement', 'discussion'],
    claims.map(({ document, says, found, verdict, discussion }) => [
      document,
      says,
      found.map((one) => foundText(says, one)).join('; '),
      verdict,
      discussion,
    ]),
  );
}
