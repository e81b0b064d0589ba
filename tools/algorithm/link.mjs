/** The reliable link of core, whose mutants are judged as those of an algorithm. */
import { reliableLink } from '@conclave/core/internal/channel';

const link = reliableLink({ window: 2 });

/**
 * The protocol has no example of a payload. A round trip takes less than the retransmission timeout
 * of 200 ms.
 */
function linkSystems() {
  const topology = link.topology.example(2);
  const carry = (...payloads) => ({
    inputs: payloads.map((payload) => ({ type: 'transmit', payload })),
  });
  const timed = { time: { kind: 'exact', delay: [0, 50] } };
  const fromOne = { initiators: ['a'], ...timed };
  const mayCrash = ({ id }) => id === 'a';
  return [
    { ...carry(1), ...fromOne },
    { ...carry(1), ...fromOne, losses: 1 },
    { ...carry(1), ...fromOne, losses: 2 },
    { ...carry(1), ...fromOne, duplications: 1 },
    { ...carry(1), ...timed },
    { ...carry(1, 2), ...fromOne },
    { ...carry(1, 2), ...fromOne, losses: 1 },
    // More messages than the window holds.
    { ...carry(1, 2, 3), ...fromOne },
    // The sender may restart as a new incarnation.
    { ...carry(1, 2), ...fromOne, crashes: 1, restarts: 1, mayCrash },
  ].map((budget) => ({ topology, budget, fairness: 'strong' }));
}

export const linkSubject = () => ({
  name: 'reliable-link',
  options: 'default',
  protocol: link,
  how: { systems: linkSystems() },
});

export const linkPage = 'packages/core/src/channel/reliable/README.md';
