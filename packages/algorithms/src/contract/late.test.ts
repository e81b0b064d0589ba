/** After late messages all is well again, in each protocol that finds out about crashes by time. */
import { complete, ring, star } from '@conclave/core/topology';
import { quickOf } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { catalogue, protocolOf } from '../catalogue.js';
import { repeated } from '../election/repeated/protocol.js';
import {
  accurate,
  entering,
  type LateRuns,
  oneGroup,
  oneInside,
  oneLeader,
  oneTree,
  sameMessages,
  told,
  toldAlways,
  unwell,
} from './late.contract.js';

type Case = Omit<LateRuns, 'protocol' | 'fault'> & {
  readonly id: string;
  readonly options?: Parameters<typeof protocolOf>[1];
  /** Without a restart where the protocol tolerates none. */
  readonly faults: readonly LateRuns['fault'][];
  readonly again?: true;
};

const four = { topology: complete(4), late: 1500, within: 3000 };
const idle = () => () => () => {};
const election = { ...four, workload: told('elect'), isWell: oneLeader };
const lock = { ...four, workload: entering, isWell: oneInside, enters: true };
const multicast = { ...four, workload: told('multicast'), isWell: sameMessages };
/** The options by which a protocol finds out about crashes. */
const finding = ['detector', 'acknowledged', 'acknowledge'];
const every = ['none', 'crash', 'restart'] as const;
const withoutRestart = ['none', 'crash'] as const;

const timed: readonly Case[] = [
  { id: 'A3', options: { acknowledged: true, timeout: 400 }, ...lock, faults: withoutRestart },
  // the crashed node is awaited: the token goes round all nodes
  { id: 'A14', ...lock, topology: ring(4), within: 5000, faults: ['none', 'restart'] },
  { id: 'A19', ...lock, topology: complete(5), late: 8000, within: 20_000, faults: every },
  // it goes on while its store is up; who waits is promised no turn
  {
    id: 'A21',
    ...lock,
    topology: star(4),
    late: 40_000,
    within: 40_000,
    faults: ['none', 'restart'],
  },
  { id: 'B1', ...election, faults: every },
  {
    ...{ id: 'B1', options: { detector: true, electAtStart: true }, ...election, faults: every },
    workload: idle,
  },
  // one election has one result: it is held again
  {
    ...{ id: 'B2', options: { acknowledged: true, timeout: 400 }, ...election, again: true },
    ...{ late: 2000, within: 6000, faults: ['none'] },
  },
  { id: 'C3', ...four, workload: idle, isWell: accurate, faults: every },
  { id: 'C4', ...multicast, faults: withoutRestart },
  { id: 'C4', options: { relay: 'silence' }, ...multicast, faults: withoutRestart },
  { id: 'C4b', ...multicast, faults: withoutRestart },
  {
    ...{ id: 'C5', options: { detector: true }, ...four, within: 15_000, isWell: oneGroup },
    ...{ workload: toldAlways('join', 250), faults: every },
  },
];

/** Nothing of these depends on time: a crash is reported, or there is none. */
const untimed: readonly Case[] = [
  { id: 'A18', ...lock, faults: withoutRestart },
  { id: 'B13', ...four, workload: told('join'), isWell: oneTree, faults: ['none'] },
  { id: 'B17', ...election, faults: withoutRestart },
];

describe.each([...timed, ...untimed])(
  'after late messages all is well again: $id $options',
  (one) => {
    it.each(quickOf(one.faults, (fault) => fault === 'none'))('fault: %s', (fault) => {
      const single = protocolOf(one.id, one.options);
      const protocol = one.again ? repeated(single) : single;
      expect(unwell({ ...one, protocol, fault })).toEqual([]);
    });
  },
);

/** Whether its timers rely on bounds, by default or with a flag that lets crashes be found. */
const isTimed = ({ make, options }: (typeof catalogue)[number]): boolean =>
  [{}, ...options.flatMap(({ name }) => (finding.includes(name) ? [{ [name]: true }] : []))]
    .map((given) => make(given).channels.time ?? 'untimed')
    .some((time) => time !== 'untimed');

it('each protocol with bounds of time is in the table', () => {
  const ids = catalogue.filter(isTimed).map(({ id }) => id);
  expect([...new Set(timed.map(({ id }) => id))]).toEqual(ids);
});
