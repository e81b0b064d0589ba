import type { NodeView } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { because, type Mutants } from '../../checks.js';
import { curve } from './curve.js';

/** Every message takes 100 ms: far fewer interleavings. */
const fixed = { time: { kind: 'exact', delay: [100, 100] } } as const;

/** All multicasts carry the same data. */
const inputs = [{ type: 'multicast', data: 'x' }];

const isFirst = ({ id }: NodeView): boolean => id === 'a';

const systems = () => [
  { topology: complete(2), budget: { inputs, initiators: ['a'], commands: 2, losses: 1 } },
  { topology: complete(3), budget: { inputs, initiators: ['a'], losses: 1 } },
  {
    topology: complete(3),
    budget: { inputs, initiators: ['a'], commands: 2, losses: 1, ...fixed },
  },
  { topology: complete(3), budget: { inputs, initiators: ['a'], losses: 2, crashes: 1, ...fixed } },
  {
    topology: complete(3),
    budget: { inputs, initiators: ['a', 'b'], crashes: 1, mayCrash: isFirst, ...fixed },
  },
];

export const mutants: Mutants = {
  '': {
    systems,
    reasons: because(
      'Without it a member probes a sender that is not silent, which only costs messages',
      'sender.standby.listening: summary {delete-transition|ignore}',
    ),
  },
};

export const parts = { curve };

/** What it does without a loss is not the point. */
export const loss = 0.2;
