/** Runs to show: the stories of the catalogue, and the lecture, which tells some of them. */
import type { Link, Setup } from '../../link/link.js';
import type { Text } from '../../texts/say.js';

/** A link whose notes are in the table. */
type ToldLink = Link & { readonly notes: Readonly<Record<number, Text>> };

/** A run that explains something, as a link with notes. */
export interface Story {
  readonly title: Text;
  readonly text: Text;
  readonly link: ToldLink;
}

/** One system of a lecture, with what is said of its steps. */
interface Station {
  readonly title: Text;
  /** How long it takes with the questions to the hall. */
  readonly minutes: number;
  readonly link: ToldLink;
}

type Presented = Omit<ToldLink, 'steps' | 'notes'>;

/** The network of a system beside another panel, from its beginning. */
const beside =
  (panel: 'chart' | 'space-time') =>
  (protocol: string, topology: string, more: Partial<Setup> = {}): Presented => ({
    ...{ view: 'world', at: 0, as: 'presentation', panels: ['network', panel] },
    setup: { protocol, topology, options: {}, budget: {}, ...more },
  });
const chart = beside('chart');
const time = beside('space-time');

const deadlock: Story = {
  title: 'Three wait for each other',
  text: 'Each has one vote and needs two: a deadlock, in six steps.',
  link: {
    ...chart('maekawa', 'complete:3', { options: { naive: true } }),
    steps: [0, 0, 1, 0, 0, 0],
    notes: {
      0: 'Three nodes share one thing. Who wants it needs two votes: its own, and that of one other node.',
      1: 'a votes for itself, and asks another node.',
      2: 'b does the same.',
      3: 'The request of a arrives. But b has given its vote to itself: a has to wait.',
      4: 'c votes for itself, too.',
      6: 'Each has one vote, and waits for another that is not given back: nobody ever enters. Maekawa’s algorithm takes votes back; this is the version that does not.',
    },
  },
};

export const twoLeaders: Story = {
  title: 'Two leaders',
  text: 'A timer that is early makes a node believe that the larger ones are gone.',
  link: {
    ...chart('bully', 'complete:3', { budget: { time: 'untimed' } }),
    steps: [0, 4, 1],
    notes: {
      0: 'The node with the largest name that is alive shall lead: c.',
      1: 'a holds an election: it asks the larger nodes, and sets a timer for their answers.',
      2: 'The timer fires before anybody has answered. a takes the others for crashed, and leads.',
      3: 'c holds an election as well. Nobody is larger: it leads. Now there are two leaders. The algorithm relies on answers that are faster than the timer.',
    },
  },
};

const ringElection: Story = {
  title: 'A ring elects',
  text: 'Each node sends its name around; only the largest comes back.',
  link: {
    ...chart('lelann-chang-roberts', 'ring:4'),
    steps: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    notes: {
      0: 'Four nodes in a ring. Each knows its own name, and can send to the next node only.',
      4: 'All send their names.',
      5: 'A name that is smaller than that of the node which gets it goes no further.',
      8: 'The largest name goes on. A node that passes it on is out of the race.',
      11: 'The largest name has come back: d leads, and tells the others.',
      15: 'All know the leader. Of the four names only one went around the whole ring.',
    },
  },
};

/** What a course begins with. The test of this file takes each step. */
export const stories: readonly Story[] = [deadlock, twoLeaders, ringElection];

/** 45 minutes: to share and to agree without a common memory. A test goes through it. */
export const lecture: readonly Station[] = [
  {
    title: 'A coordinator',
    minutes: 4,
    link: {
      ...time('central-coordinator', 'star:3'),
      steps: [0, 0, 0, 1, 0, 0, 0, 0],
      notes: {
        0: 'b and c share a printer. They have no common memory: they can only send messages. a keeps the lock. What happens when both ask at once?',
        2: 'Both have asked. Neither knows of the other.',
        3: 'The request of b arrives first. a grants it.',
        4: 'The request of c has to wait, in the queue of a.',
        5: 'b is in the critical section.',
        6: 'b leaves, and tells a.',
        7: 'a grants the lock to the next one in its queue.',
        8: 'Three messages for each entry, and a simple program. What if a crashes?',
      },
    },
  },
  {
    title: 'Everybody keeps the queue',
    minutes: 6,
    link: {
      ...time('lamport', 'complete:2'),
      steps: [0, 0, 0, 0, 2, 1, 0, 0],
      notes: {
        0: 'Now nobody is special. Each node keeps the whole queue, ordered by time stamps. The clocks only count.',
        2: 'Both ask, with the same time stamp. Who is first?',
        3: 'b puts the request of a into its queue, and acknowledges it. The name decides between equal stamps: a is first.',
        4: 'a does the same. Both queues are equal, although nobody has compared them.',
        5: 'a has heard from everybody, and is the first in its queue: it enters. Why did it have to hear from everybody?',
        6: 'b has heard from everybody, too, but it is not the first.',
        7: 'a leaves, and tells everybody.',
        8: 'Now b enters. Three messages for each other node and entry. Can we save one?',
      },
    },
  },
  {
    title: 'Ask everybody, once',
    minutes: 5,
    link: {
      ...chart('ricart-agrawala', 'complete:2'),
      steps: [0, 0, 0, 0, 0, 0, 0],
      notes: {
        0: 'A reply shall mean: you may enter as far as I am concerned. Then nobody has to say that it leaves.',
        2: 'Both ask at once, with the same time stamp.',
        3: 'The request of a reaches b. It is older, by its name. What does b do?',
        4: 'The request of b reaches a. It is younger: a keeps the reply back.',
        5: 'a has all replies: it enters.',
        6: 'a leaves, and sends the reply that it has kept back.',
        7: 'b enters. Two messages for each other node and entry, and everybody was asked.',
      },
    },
  },
  {
    title: 'One of them crashes',
    minutes: 4,
    link: {
      ...chart('ricart-agrawala', 'complete:3', { budget: { crashes: 1 } }),
      steps: [2, 2, 3, 2, 2, 5, 0, 1, 1, 1],
      notes: {
        0: 'The same with three nodes. What if one of them crashes?',
        1: 'c asks.',
        3: 'Nobody else wants to enter: both reply.',
        5: 'c is in the critical section …',
        6: '… and crashes there.',
        7: 'a wants to enter. It asks b and c.',
        9: 'b has replied. From c there will never be a reply.',
        10: 'a waits forever. It cannot tell a node that has crashed from one that is slow. Nothing wrong has happened. But nothing good will happen either.',
      },
    },
  },
  { title: 'Ask only some', minutes: 5, link: deadlock.link },
  {
    title: 'A token goes around',
    minutes: 4,
    link: {
      ...time('token-ring', 'ring:3'),
      steps: [1, 2, 1, 2, 2],
      notes: {
        0: 'Another idea: there is one token. Who has it may enter. It goes around a ring, and a sends it off.',
        1: 'b wants to enter. It asks nobody: it waits for the token.',
        2: 'The token arrives: b keeps it, and enters.',
        3: 'b leaves, and passes the token on.',
        4: 'c does not want it, and passes it on.',
        5: 'So it goes around, also when nobody wants it. How many messages is an entry?',
      },
    },
  },
  {
    title: 'A token that is asked for',
    minutes: 6,
    link: {
      ...chart('raymond', 'tree:2:3'),
      steps: [1, 1, 1, 2, 1, 2, 1, 1, 1],
      notes: {
        0: 'The token rests at a until somebody asks. Each node knows only in which direction it is.',
        2: 'b and c ask in that direction.',
        3: 'a does not need the token: it sends it to b, and from now on points to b.',
        4: 'The request of c arrives. a asks on behalf of c.',
        5: 'b enters.',
        6: 'b learns that a wants the token, for whomever.',
        7: 'b leaves, and the token goes back.',
        8: 'a passes it on to the one that has asked.',
        9: 'c enters. On a tree of n nodes that is well balanced, an entry takes about log n messages.',
      },
    },
  },
  {
    title: 'The token is lost',
    minutes: 3,
    link: {
      ...chart('raymond', 'tree:2:3', { budget: { losses: 1 } }),
      steps: [1, 2, 3, 1, 1, 1],
      notes: {
        0: 'The same, but one message may be lost. Which one is the worst?',
        1: 'b asks.',
        2: 'a sends the token …',
        3: '… and the network loses it. Now nobody has it.',
        4: 'c asks as well.',
        6: 'Everybody points to somebody else, and all wait. How could they notice? Who may make a new token?',
      },
    },
  },
  { title: 'Who decides? A ring elects', minutes: 5, link: ringElection.link },
  { title: 'Who is dead? Two leaders', minutes: 3, link: twoLeaders.link },
];
