/** What a mutant changes: one thing each. */
export type Operator = keyof typeof operators;

interface OperatorInfo {
  /** The open question, where such a mutant survives. */
  readonly question: string;
  /** A property that would answer it. */
  readonly cure: string;
}

const effects =
  'Ask for what the action brings about: always(…) over the field it keeps, or leadsTo(…) to the message it sends.';

const progress = 'Ask for progress: leadsTo(…) from this state’s tag to the next one’s.';
const protection =
  'Ask for what the condition protects: always(…) or never(…) over what the rule does when it should not.';

/** The operators in the order of the report: the most informative first. */
export const operators = {
  ignore: {
    question: 'An event may be swallowed',
    cure: 'Ask for what must come of it: leadsTo(…) from the event’s trace in the context or the tags to its answer.',
  },
  'delete-transition': {
    question: 'A rule may be missing',
    cure: 'Ask for what the rule brings about, or for the state in which it is due: leadsTo(…), always(…).',
  },
  retarget: {
    question: 'A transition may lead to another state',
    cure: 'Ask for what must be true in the right state, and only there: always(…) over its tag and its context.',
  },
  'drop-target': { question: 'A transition may leave the state as it is', cure: progress },
  'drop-always': {
    question: 'A node may stay although its condition has come true',
    cure: progress,
  },
  'drop-guard': { question: 'A condition may be left out', cure: protection },
  'negate-guard': { question: 'A condition may be turned round', cure: protection },
  'drop-action': { question: 'An action may be missing', cure: effects },
  'drop-send': {
    question: 'A message may not be sent',
    cure: 'Ask for its answer: leadsTo(…) from who waits for it to who has it.',
  },
  'misdirect-send': {
    question: 'A message may go to the wrong neighbour',
    cure: 'Ask for its answer on a network with three nodes or more: leadsTo(…) from who waits for it to who has it.',
  },
  'duplicate-send': {
    question: 'A message may be sent twice',
    cure: 'Ask for its price, atMost(…), or for what a second one would spoil, always(…).',
  },
  'drop-tag': {
    question: 'A state may lack its tag',
    cure: 'Ask for the tag where it is due: always(…) over the state and its tag, or drop it where no property looks.',
  },
  'drop-timer': {
    question: 'A timer may be missing',
    cure: 'Explore what the timer is for, a loss or a crash, and ask for progress: leadsTo(…).',
  },
  'swap-actions': {
    question: 'Two actions may change places',
    cure: 'Ask for what the order protects: always(…) over the fields of both.',
  },
  'duplicate-action': {
    question: 'An action may be done twice',
    cure: 'Ask for its price, atMost(…), or for what a second time would spoil.',
  },
  'any-order': {
    question: 'Channels may mix up the order',
    cure: 'Assume any order, or show on a larger network what breaks without fifo.',
  },
  lose: {
    question: 'A message may be lost',
    cure: 'Assume loss, or show on a larger network what breaks without it.',
  },
  repeat: {
    question: 'A message may come twice',
    cure: 'Assume duplication, or show on a larger network what breaks without it.',
  },
  untimed: {
    question: 'A message may take any time',
    cure: 'Assume untimed channels, or show on a larger network what breaks without bounds.',
  },
} as const satisfies Readonly<Record<string, OperatorInfo>>;

// the keys of the object above
export const allOperators = Object.keys(operators) as readonly Operator[];
