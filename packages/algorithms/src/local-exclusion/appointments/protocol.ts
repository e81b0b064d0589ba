import {
  always,
  defineProtocol,
  everyStep,
  type NodeId,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { inCriticalSection, isIdle, nodesIn } from '../../mutual-exclusion/mutual-exclusion.js';
import { enters } from '../../mutual-exclusion/token/building-blocks/token.js';
import { isCommanded, receivedIn, receiversIn, sameIds, senderIn, sentIn } from '../../steps.js';
import { localExclusion } from '../local-exclusion.js';
import { type Command, type Input, type Message, machine } from './appointments.js';

export type { Command };

// Properties of calendars and of each step of appointments in the order of ids.

const idsOf = ({ context }: NodeView, field: 'participants' | 'missing' | 'queue') =>
  context[field] as readonly NodeId[]; // as the machine's own types say
const numberOf = ({ context }: NodeView, field: 'fence' | 'entries') => Number(context[field]);
// as the machine's own types say
const holderOf = ({ context }: NodeView) => context.holder as NodeId | null;
const isActive = ({ tags }: NodeView) => tags.has('waiting') || tags.has('critical');
/** The participants whose calendars the organiser has. */
const takenBy = (node: NodeView) =>
  isActive(node)
    ? idsOf(node, 'participants').filter((id) => !idsOf(node, 'missing').includes(id))
    : [];

/** Whether two nodes, each of which has an appointment, share a participant. */
const shareParticipant = (one: NodeView, other: NodeView): boolean =>
  idsOf(one, 'participants').some((id) => idsOf(other, 'participants').includes(id));

const oneOrganiser = always(
  'each calendar is in one place: with its node, with one organiser, or on its way',
  (system) => {
    const places = [
      ...system.nodes.filter((node) => holderOf(node) === null).map(({ id }) => id),
      ...system.nodes.flatMap(takenBy),
      ...system.inFlight('granted').map(({ from }) => from),
      ...system.inFlight('returned').map(({ to }) => to),
    ];
    return places.length === system.nodes.length && new Set(places).size === places.length;
  },
);

const inAllCalendars = always(
  'a current appointment is in the calendars of all its participants',
  (system) =>
    system
      .tagged('critical')
      .every((organiser) =>
        idsOf(organiser, 'participants').every((id) => holderOf(system.node(id)) === organiser.id),
      ),
);

/** Prevents deadlock. */
const inOrder = everyStep(
  'an organiser asks for one calendar at a time, in the order of ids, and only for missing ones',
  (step) => {
    const { after } = step;
    const [asked, ...more] = receiversIn(step, 'request');
    return (
      more.length === 0 &&
      (asked === undefined ||
        (after.tags.has('waiting') && asked === [...idsOf(after, 'missing')].sort()[0]))
    );
  },
);

const asksEachOnce = everyStep(
  'an organiser asks each other participant once, and its own calendar within the same step',
  (step) => {
    const { before, after } = step;
    const asking = isCommanded('acquire', step) ? undefined : idsOf(before, 'missing')[0];
    const asked = after.tags.has('waiting') ? idsOf(after, 'missing')[0] : undefined;
    const isNew = asked !== undefined && asked !== asking && asked !== after.id;
    return sameIds(receiversIn(step, 'request'), isNew ? [asked] : []);
  },
);

const returns = everyStep(
  'an organiser returns each calendar, with the fencing token, exactly when it leaves',
  (step) => {
    const { before } = step;
    const others = isCommanded('release', step)
      ? idsOf(before, 'participants').filter((id) => id !== before.id)
      : [];
    return (
      sameIds(receiversIn(step, 'returned'), others) &&
      sentIn(step, 'returned').every(({ message }) => message.entries === numberOf(before, 'fence'))
    );
  },
);

const inTurn = everyStep('a calendar is granted in the order of requests', (step) => {
  const { before, after } = step;
  const asking = senderIn(step, 'request');
  const line = (node: NodeView) => [holderOf(node) ?? [], ...idsOf(node, 'queue')].flat();
  const isReturned =
    receivedIn(step, 'returned') !== undefined ||
    (isCommanded('release', step) && holderOf(before) === before.id);
  const due = [...line(before).slice(isReturned ? 1 : 0), ...asking];
  const is = line(after);
  // The own request joins in a step that asks for the own calendar.
  return (
    is.slice(0, due.length).join() === due.join() &&
    is.slice(due.length).every((id) => id === after.id) &&
    is.length <= due.length + 1
  );
});

const tellsHolder = everyStep(
  'when a calendar gets a new holder, its node sends one grant, with the largest number in the calendar',
  (step) => {
    const { before, after } = step;
    const holder = holderOf(after);
    const isReturned = receivedIn(step, 'returned') !== undefined || isCommanded('release', step);
    const isNew =
      holder !== null && holder !== after.id && (holder !== holderOf(before) || isReturned);
    return (
      sameIds(receiversIn(step, 'granted'), isNew && holder !== null ? [holder] : []) &&
      sentIn(step, 'granted').every(({ message }) => message.entries === numberOf(after, 'entries'))
    );
  },
);

const counts = everyStep(
  'a fencing token is one more than the largest number in the calendars',
  (step) => {
    const { before, after } = step;
    if (!inCriticalSection(after)) return true;
    const own = idsOf(after, 'participants').includes(after.id) ? numberOf(after, 'entries') : 0;
    const was = isCommanded('acquire', step) ? 0 : numberOf(before, 'fence');
    const came = Number(receivedIn(step, 'granted')?.entries ?? 0);
    return numberOf(after, 'fence') === (enters(step) ? 1 + Math.max(was, own, came) : was);
  },
);

const keeps = everyStep('a calendar keeps the number with which it was returned', (step) => {
  const { before, after } = step;
  const isOwn = isCommanded('release', step);
  const came = receivedIn(step, 'returned')?.entries;
  return (
    numberOf(after, 'entries') ===
    (isOwn ? numberOf(before, 'fence') : (came ?? numberOf(before, 'entries')))
  );
});

const forgets = everyStep(
  'a node without an appointment, held or wanted, has no participants',
  ({ after }) => isActive(after) || idsOf(after, 'participants').length === 0,
);

const calendars: readonly Property[] = [
  oneOrganiser,
  inAllCalendars,
  inOrder,
  asksEachOnce,
  returns,
  inTurn,
  tellsHolder,
  counts,
  keeps,
  forgets,
];

/** A17: appointments among several participants, whose calendars are taken in the order of ids. */
export const appointments = defineProtocol<Message, Command>({
  id: 'A17',
  name: 'appointments',
  title: 'Appointments among several participants',
  problem: 'local-exclusion',
  citation:
    'J. W. Havender: Avoiding Deadlock in Multitasking Systems. IBM Systems Journal 7:2, 1968, 74–84; E. W. Dijkstra: Hierarchical Ordering of Sequential Processes. Acta Informatica 1:2, 1971, 115–138',
  topology: needs.connected,
  channels: { order: 'any', loss: false, duplication: false },
  roles: {
    node: {
      machine,
      input: (self, topology) => ({ self, neighbours: topology.successors(self) }) satisfies Input,
    },
  },
  messages: {
    request: { meaning: 'I want you to take part in an appointment' },
    granted: {
      fields: ['entries'],
      counters: ['entries'],
      meaning: 'you have my calendar; its largest fencing token is `entries`',
    },
    returned: {
      fields: ['entries'],
      counters: ['entries'],
      meaning: 'the appointment is over; its fencing token was `entries`',
    },
  },
  commands: {
    acquire: {
      kind: 'optional',
      fields: ['with'],
      meaning:
        'the application wants an appointment with these neighbours, or with all of them: `neighbours`',
      when: isIdle,
      examples: [{ with: 'neighbours' }, { with: [] }],
    },
    release: { kind: 'obligatory', meaning: 'the appointment is over', when: inCriticalSection },
  },
  properties: [
    ...localExclusion(
      'no two appointments that share a participant are held at once',
      shareParticipant,
    ),
    ...calendars,
  ],
  fence: ({ context }: NodeView) => Number(context.fence),
  fenceCondition: 'between appointments that share a participant; others have no order',
  waitsFor: (node) => nodesIn('missing')(node).slice(0, 1),
  cost: {
    per: 'entry',
    formula: '3(k−1)',
    remark: 'for k participants, the organiser included',
    messages: (n, topology) => ({
      least: 0,
      most:
        3 *
        (topology
          ? Math.max(...topology.nodes.map((id) => topology.successors(id).length))
          : n - 1),
    }),
  },
});
