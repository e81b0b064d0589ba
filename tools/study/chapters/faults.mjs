/** D6: the table of faults, derived by exploration, and what the documents say about it. */
import { explore } from '@conclave/check';
import { always } from '@conclave/core/protocol';
import { command, folded, listed, number, page, table } from '../evidence.mjs';
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
    'D6: the effect of the loss, duplication and overtaking of a message, of a crash and of a restart on each lock, election and wave, and the claims of the documents.',
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
    `Each cell is an exploration of every interleaving of a small system with one failure: ${all.length} systems, the largest of ${number(Math.max(...all.map(({ states }) => states)))} states. ${soundText(results)} Each node gets one command. If a lock tolerates the fault with one command for each node, each node gets two.`,
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
  if (open.length === 0) return 'Without a fault all rows are safe and live.';
  return `Without a fault all rows except ${listed(open)} are safe and live; ${listed(open)} has too many states here even without a fault.`;
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
      'the protocol declares that it tolerates the fault (for crashes: that it stays safe)',
      ({ isAssumed }) => isAssumed,
    ],
    ['¹', 'one command each: two are too many to explore', ({ once }) => once],
    ['²', 'two nodes start', ({ few }) => few?.length === 2],
    ['³', 'one node starts', ({ few }) => few?.length === 1],
  ].filter(([, , has]) => uses(has));
  return [
    `${marks.map(([mark, meaning]) => `**${mark}** ${meaning}`).join('; ')}.`,
    'The number counts the steps of a run that shows the mark; if the run stops for good, it is a shortest run. The link opens the run in the studio, step by step: on the site, or in a clone after `npm run build`.',
    `${notes.map(([note, meaning]) => `${note} ${meaning}`).join('; ')}.`,
  ].join(' ');
}

function reading(all) {
  const example = all.find(({ mark }) => mark === '○');
  const columnsText = table(
    ['column', 'options of `conclave check`'],
    [
      ['a message lost', '`--loss 1`'],
      ['duplicated', '`--duplicate 1`'],
      ['any order', '`--order any`'],
      [
        'crash while idle',
        "`--crash 1 --atomic-steps --crash-in '!waiting,!critical'`; in elections and waves only nodes that have not decided and are not reached; never the nodes of the seventh column",
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
    `All commands have \`--unexpected discard\`, on the network of the row. In this catalogue each state lists the messages that it handles; this is a convention, and an unexpected message does not break an algorithm. The node drops it, and the run goes on. The first ○ of the table is`,
    command(example.command),
    'A restarted node has its initial state and the fields that its protocol keeps on stable storage. In the column *with a restart*, a run with a node that stays down does not violate liveness; on the command line it does. Nodes need not repeat a decided election if its leader crashes.',
    folded(
      'What counts as safe and as live',
      `**Safe**: no run violates ${safety.map((name) => `*${name}*`).join('; ')}. A row has only the properties of its problem.`,
      `**Live**: every run fulfils ${liveness.map((name) => `*${name}*`).join('; ')}; and no node waits in a quiescent state. B15 draws lots, and ends with probability 1. B10 draws lots and, untimed, need not end: the table judges only its quiescent states.`,
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
    `**Loss.** Locks that stay live: ${idsText(withMark(locks, 'loss', '✓'))}; locks that become unsafe: ${idsText(withMark(locks, 'loss', '✗'))}. Elections and waves that stay live: ${idsText(withMark(others, 'loss', '✓'))}; elections and waves that become unsafe: ${idsText(withMark(others, 'loss', '✗'))}.`,
    `**Duplication.** Unsafe: ${idsText(withMark(results, 'duplication', '✗'))}. Safe and live: ${idsText(withMark(results, 'duplication', '✓'))}.`,
    `**Order.** ${fifo.length} rows assume FIFO channels. Rows that are unsafe without them: ${idsText(withMark(fifo, 'order', '✗'))}; rows that are not live: ${idsText(withMark(fifo, 'order', '○'))}; rows without a difference in these systems: ${idsText(withMark(fifo, 'order', '✓'))}.`,
    `**The crash of an idle node** is harmless to ${idsText(withMark(results, 'idle', '✓'))}; **of a waiting node** to ${idsText(withMark(results, 'waiting', '✓'))}; **of a node in its critical section** to ${idsText(withMark(locks, 'inside', '✓'))}. Rows that a crash alone makes unsafe: ${idsText(withMark(results, 'step', '✗'))}.`,
    `**A restart** is safe and live for ${idsText(withMark(results, 'restart', '✓'))}, and unsafe for ${withMark(results, 'restart', '✗').length} of ${results.length} rows: a node that has forgotten its messages, or that it had the token, contradicts the others.`,
    `**Not decided:** ${idsText([...new Set(columns.flatMap(({ name }) => withMark(results, name, '…', '○?')))])}. For A19, \`npm run verify\` proves safety and liveness with a loss, and with a crash and a restart, if messages take up to one second: [verified](../verified.md).`,
  ];
  return lines.map((line) => `- ${line}`).join('\n');
}

function discardsText(results) {
  const all = results.flatMap(({ row, cells }) => cells.flat().map((cell) => ({ row, ...cell })));
  const some = all.filter(({ discarded }) => discarded.length > 0);
  const places = some.reduce((sum, { discarded }) => sum + discarded.length, 0);
  const clean = some.filter(({ mark }) => mark === '✓');
  return `**Discarded messages.** In ${some.length} of the ${all.length} systems a node got a message that its state does not handle (${number(places)} pairs of message and state in all). Without \`discard\` such a run would end there. ${clean.length} of these systems are safe and live nevertheless: ${idsText([...new Set(clean.map(({ row }) => row.key))])}.`;
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

/**
 * What documents 002 and 003 say about faults, beside what was computed. Each discussion was written
 * for the marks that it lists: a run that computes another one fails. `found`: row, column, and the
 * mark that the discussion is about; `who` where the column has several.
 */
const claims = [
  {
    document: '003',
    says: 'None of the algorithms described tolerates the loss of a message.',
    found: [
      ['A1', 'loss', '○'],
      ['A3', 'loss', '○'],
      ['A11', 'loss', '○'],
      ['B1', 'loss', '✗'],
      ['B2', 'loss', '○'],
    ],
    verdict: 'agrees, but is incomplete',
    discussion:
      'The three locks stop, and stay exclusive. The bully algorithm does worse: it takes silence for a crash, so one lost message makes a second leader.',
  },
  {
    document: '003',
    says: 'Central solution: the crash of a client that neither has the token nor has asked for it is tolerated.',
    found: [
      ['A1', 'idle', '✓'],
      ['A1 mid-release', undefined, '○'],
    ],
    verdict: 'agrees, between two steps',
    discussion:
      'A client that crashes in the middle of its release is idle by its state, and its message to the coordinator is not sent: all others wait forever.',
  },
  {
    document: '003',
    says: 'Central solution: the crash of a client in its critical section, or a lost message, may lead to a deadlock.',
    found: [
      ['A1', 'inside', '○'],
      ['A1', 'waiting', '○'],
      ['A1', 'loss', '○'],
    ],
    verdict: 'agrees',
    discussion:
      'The crash of a waiting client does the same: the coordinator grants it the lock, which never comes back.',
  },
  {
    document: '003',
    says: 'Central solution: the coordinator is a single point of failure.',
    found: [['A1', 'special', '○', 'coordinator']],
    verdict: 'agrees',
    discussion: 'Clients wait for it forever; exclusion holds.',
  },
  {
    document: '003',
    says: 'Distributed solution: n points of failure in place of one; if one process stops, the system stops.',
    found: [
      ['A3', 'idle', '○'],
      ['A3', 'waiting', '○'],
      ['A3', 'inside', '○'],
    ],
    verdict: 'agrees',
    discussion:
      'Even the crash of an idle node stops the others, since they need its reply. The central solution tolerates such a crash.',
  },
  {
    document: '003',
    says: 'Distributed solution: it tolerates a crash if a request–reply protocol is used: a process that does not acknowledge is not active.',
    found: [
      ['A3 acknowledged', 'idle', '✓'],
      ['A3 acknowledged', 'waiting', '✓'],
      ['A3 acknowledged', 'inside', '✓'],
      ['A3 acknowledged', 'step', '✓'],
      ['A3 acknowledged', 'loss', '✗'],
      ['A3 acknowledged', 'restart', '✗'],
    ],
    verdict: 'agrees, at a price',
    discussion:
      'It needs bounded delays, a second inquiry for nodes that crash after they acknowledged (rule RA8), and channels that lose nothing: without acknowledgements a lost message only stops nodes, with acknowledgements it lets two nodes in. A node that comes back also breaks it.',
  },
  {
    document: '003',
    says: 'Token ring: no process may crash.',
    found: [
      ['A11', 'idle', '○'],
      ['A11', 'waiting', '○'],
      ['A11', 'inside', '○'],
    ],
    verdict: 'agrees',
    discussion: 'The token is lost with its node, or when a node sends it to a crashed node.',
  },
  {
    document: '003',
    says: 'Token ring: a coordinator must generate a lost token anew; the loss is hard to recognise, since it may be a long stay in the critical section.',
    found: [
      ['A11', 'loss', '○'],
      ['A14', 'loss', '✓'],
      ['A14', 'inside', '○'],
      ['A14', 'restart', '✓'],
      ['A14 exclusion', undefined, '✗'],
    ],
    verdict: 'agrees',
    discussion:
      'A14 makes a new token after a timeout, also for a node that crashed with the token; but no token passes a node that stays down, so the ring goes on only when that node is back. A14 cannot distinguish a loss from a long stay: without any fault, two nodes can be inside with tokens of different epochs. Exclusion holds within an epoch, and the epoch is in the fencing token.',
  },
  {
    document: '002',
    says: 'Token-based solutions: safety is trivial.',
    found: [
      ['A11', 'duplication', '✗'],
      ['A4', 'duplication', '✗'],
      ['A5', 'duplication', '✗'],
      ['A6', 'duplication', '✗'],
      ['A7', 'duplication', '✗'],
      ['A8', 'duplication', '✗'],
      ['A9', 'duplication', '✗'],
      ['A10', 'duplication', '✗'],
      ['A3', 'duplication', '✗'],
    ],
    verdict: 'differs if a message is duplicated',
    discussion:
      'Safety is trivial as long as there is one token, but a duplicated message makes a second token. So does a restart of the owner, except in A9. Solutions by permission are no better: in A3 the second copy of a reply counts for the next request.',
  },
  {
    document: '002',
    says: 'Token-based solutions: how to notice that the token is lost, and who may generate a new one?',
    found: [
      ['A4', 'loss', '○'],
      ['A7', 'loss', '○'],
      ['A8', 'loss', '○'],
      ['A10', 'loss', '○'],
      ['A7', 'special', '○', 'token holder'],
    ],
    verdict: 'agrees: it is the open question',
    discussion:
      'A lost token, or the crash of its holder, stops each of these locks, and never lets two nodes in: there is no second token unless some node makes one.',
  },
  {
    document: '002',
    says: 'Token on a directed tree: is it a problem if messages overtake each other, such as a request that overtakes the token?',
    found: [['A7', 'order', '✓']],
    verdict: 'no',
    discussion: 'If a request arrives before the token, it waits in the queue of the node.',
  },
  {
    document: '002',
    says: 'Hunted token on a ring: are FIFO channels necessary?',
    found: [['A10', 'order', '✓']],
    verdict: 'no',
    discussion: 'The table of the locks shows the other algorithms that need them.',
  },
  {
    document: '003',
    says: 'Bully algorithm: after the crash of the coordinator it finds the active process with the largest id; a process that restarts joins again.',
    found: [
      ['B1', 'special', '✓', 'leader'],
      ['B1', 'step', '✓'],
      ['B1', 'restart', '✓'],
    ],
    verdict: 'agrees',
    discussion:
      'B1 does so in bounded time, with terms on stable storage, and without losses (above).',
  },
  {
    document: '003',
    says: 'Ring algorithm: a process knows further nodes of the ring, so that it can skip a successor that it does not reach; no faults occur.',
    found: [
      ['B2', 'idle', '○'],
      ['B2', 'waiting', '○'],
      ['B2 acknowledged', 'idle', '✓'],
      ['B2 acknowledged', 'waiting', '✓'],
      ['B2 acknowledged', 'loss', '✗'],
      ['B2 acknowledged', 'restart', '✗'],
    ],
    verdict: 'agrees, with acknowledgements',
    discussion:
      'The two assumptions exclude each other: a node that skips a silent successor expects crashes. With acknowledgements in bounded time the algorithm tolerates each crash. After a lost message, or after a restart, as the same document demands, the leader ends the election while another node does not know it.',
  },
];

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
        `'${says}': the discussion in tools/study/chapters/faults.mjs is about ${key} ${column ?? ''} ${mark}, and ${cell?.mark} was computed.`,
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
