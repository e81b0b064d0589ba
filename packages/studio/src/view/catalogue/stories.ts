import type { Link } from '../../link/link.js';
import type { Text } from '../../texts/say.js';

/** A link whose notes are in the table. */
export type ToldLink = Link & { readonly notes: Readonly<Record<number, Text>> };

/** A run that explains something, as a link with notes. */
export interface Story {
  readonly title: Text;
  readonly text: Text;
  readonly link: ToldLink;
}

const start = { view: 'world', at: 0, as: 'presentation', panels: ['network', 'chart'] } as const;

export const deadlock: Story = {
  title: 'Three wait for each other',
  text: 'Each has one vote and needs two: a deadlock, in six steps.',
  link: {
    ...start,
    setup: {
      protocol: 'maekawa',
      options: { naive: true },
      topology: 'complete:3',
      budget: {},
    },
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
    ...start,
    setup: {
      protocol: 'bully',
      options: {},
      topology: 'complete:3',
      budget: { time: 'untimed' },
    },
    steps: [0, 4, 1],
    notes: {
      0: 'The node with the largest name that is alive shall lead: c.',
      1: 'a holds an election: it asks the larger nodes, and sets a timer for their answers.',
      2: 'The timer fires before anybody has answered. a takes the others for crashed, and leads.',
      3: 'c holds an election as well. Nobody is larger: it leads. Now there are two leaders. The algorithm relies on answers that are faster than the timer.',
    },
  },
};

export const ringElection: Story = {
  title: 'A ring elects',
  text: 'Each node sends its name around; only the largest comes back.',
  link: {
    ...start,
    setup: { protocol: 'lelann-chang-roberts', options: {}, topology: 'ring:4', budget: {} },
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
