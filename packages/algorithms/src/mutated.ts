import { reliableLink } from '@conclave/core/internal/channel';
import type { MutationSystem } from '@conclave/core/mutation';
import type { Json, Protocol } from '@conclave/core/protocol';
import { catalogue } from './catalogue.js';
import { mutation as logicalClock } from './clocks/logical-clock/mutation.js';
import { mutation as heartbeat } from './detectors/heartbeat/mutation.js';
import { mutation as adoption } from './election/adoption/mutation.js';
import { mutation as bully } from './election/bully/mutation.js';
import { mutation as collectedIds } from './election/collected-ids/mutation.js';
import { mutation as extinction } from './election/extinction/mutation.js';
import { mutation as firewire } from './election/firewire/mutation.js';
import { mutation as franklin } from './election/franklin/mutation.js';
import { mutation as gallagerHumbletSpira } from './election/gallager-humblet-spira/mutation.js';
import { mutation as hirschbergSinclair } from './election/hirschberg-sinclair/mutation.js';
import { mutation as hypercubeElection } from './election/hypercube/mutation.js';
import { mutation as meshElection } from './election/mesh/mutation.js';
import { mutation as ringElection } from './election/mutation.js';
import { mutation as treeWave } from './election/tree-wave/mutation.js';
import { mutation as viewLeader } from './election/view-leader/mutation.js';
import { mutation as acknowledgedMulticast } from './groups/acknowledged-multicast/mutation.js';
import { mutation as causalMulticast } from './groups/causal-multicast/mutation.js';
import { mutation as membership } from './groups/membership/mutation.js';
import { mutation as negativeMulticast } from './groups/negative-multicast/mutation.js';
import { mutation as totalMulticast } from './groups/total-multicast/mutation.js';
import type { NotesByOptions } from './mutation-notes.js';
import { mutation as centralCoordinator } from './mutual-exclusion/central/central-coordinator/mutation.js';
import { mutation as groupLock } from './mutual-exclusion/group/group-lock/mutation.js';
import { mutation as hierarchical } from './mutual-exclusion/hybrid/hierarchical/mutation.js';
import { mutation as intervalReservation } from './mutual-exclusion/permission/interval-reservation/mutation.js';
import { mutation as lamport } from './mutual-exclusion/permission/lamport/mutation.js';
import { mutation as leasedMajority } from './mutual-exclusion/permission/leased-majority/mutation.js';
import { mutation as maekawa } from './mutual-exclusion/permission/maekawa/mutation.js';
import { mutation as ricartAgrawala } from './mutual-exclusion/permission/ricart-agrawala/mutation.js';
import { mutation as ricartAgrawalaEcho } from './mutual-exclusion/permission/ricart-agrawala-echo/mutation.js';
import { mutation as acyclicGraph } from './mutual-exclusion/token/acyclic-graph/mutation.js';
import { mutation as echoToken } from './mutual-exclusion/token/echo-token/mutation.js';
import { mutation as huntedToken } from './mutual-exclusion/token/hunted-token/mutation.js';
import { mutation as naimiTrehel } from './mutual-exclusion/token/naimi-trehel/mutation.js';
import { mutation as raymond } from './mutual-exclusion/token/raymond/mutation.js';
import { mutation as regeneratedToken } from './mutual-exclusion/token/regenerated-token/mutation.js';
import { mutation as ricartAgrawala83 } from './mutual-exclusion/token/ricart-agrawala-83/mutation.js';
import { mutation as suzukiKasami } from './mutual-exclusion/token/suzuki-kasami/mutation.js';
import { mutation as tokenRing } from './mutual-exclusion/token/token-ring/mutation.js';
import { mutation as treeToken } from './mutual-exclusion/token/tree-token/mutation.js';
import { mutation as reliable } from './reliable-link.mutation.js';
import { mutation as virtualTree } from './spanning-tree/virtual-tree/mutation.js';
import { mutation as waves } from './waves/mutation.js';

/** A protocol with a row in docs/mutation.md. */
export interface Subject {
  /** Such as `A3 ricart-agrawala acknowledged=true`. */
  readonly name: string;
  readonly protocol: Protocol;
  /** The systems on which its mutants are explored; undefined: the default systems. */
  readonly systems: readonly MutationSystem[] | undefined;
  /** How many states the protocol itself may have there; undefined: as many as usual. */
  readonly states: number | undefined;
  /** Regions that are the machine of another row, where their mutants are. */
  readonly parts: readonly string[];
  /** By the mutant's id: why it survives. */
  readonly reasons: Readonly<Record<string, string>>;
}

/** By the protocol's name. */
const notes: Readonly<Record<string, NotesByOptions>> = {
  membership: membership,
  'collected-ids': collectedIds,
  adoption,
  bully: bully,
  'dolev-klawe-rodeh': ringElection,
  firewire: firewire,
  franklin: franklin,
  'hirschberg-sinclair': hirschbergSinclair,
  hypercube: hypercubeElection,
  'gallager-humblet-spira': gallagerHumbletSpira,
  'lelann-chang-roberts': ringElection,
  mesh: meshElection,
  'acyclic-graph': acyclicGraph,
  'causal-fairness': { '': lamport[''] ?? { reasons: {} } }, // its default lock
  'central-coordinator': centralCoordinator,
  echo: waves,
  'echo-token': echoToken,
  heartbeat: heartbeat,
  'logical-clock': logicalClock,
  extinction: extinction,
  hierarchical: hierarchical,
  'hunted-token': huntedToken,
  'interval-reservation': intervalReservation,
  lamport: lamport,
  'leased-majority': leasedMajority,
  maekawa: maekawa,
  'naimi-trehel': naimiTrehel,
  'causal-multicast': causalMulticast,
  'acknowledged-multicast': acknowledgedMulticast,
  'negative-multicast': negativeMulticast,
  raymond: raymond,
  'regenerated-token': regeneratedToken,
  'ricart-agrawala': ricartAgrawala,
  'ricart-agrawala-echo': ricartAgrawalaEcho,
  'ricart-agrawala-83': ricartAgrawala83,
  'suzuki-kasami': suzukiKasami,
  'token-ring': tokenRing,
  'tree-token': treeToken,
  'total-multicast': totalMulticast,
  'tree-wave': treeWave,
  'virtual-tree': virtualTree,
  'group-lock': groupLock,
  'view-leader': viewLeader,
};

/**
 * Every protocol of the catalogue, with every set of options that has another statechart or notes
 * of its own, and the reliable link.
 */
export const subjects = (): readonly Subject[] => [
  ...catalogue.flatMap(({ id, name, charted, make }) => {
    const own = notes[name] ?? {};
    const least = Object.values(own).some(({ instead }) => instead) ? [] : [''];
    const texts = new Set([...least, ...charted.map(textOf), ...Object.keys(own)]);
    return [...texts].map((options) =>
      subject([id, name, options].join(' ').trimEnd(), make(optionsOf(options)), own[options]),
    );
  }),
  subject('reliable-link', reliableLink({ window: 2 }), reliable['']),
];

const subject = (
  name: string,
  protocol: Protocol,
  { systems, states, parts = [], reasons }: NotesByOptions[string] = { reasons: {} },
): Subject => ({
  name,
  protocol,
  systems: systems?.(protocol),
  states,
  parts,
  reasons,
});

/** How the mutants of a subject are explored. */
export const mutateOptionsOf = ({ systems, states, parts }: Subject) => ({
  ...(parts.length > 0 ? { leaveOut: parts } : {}),
  ...(systems ? { systems } : {}),
  ...(states === undefined ? {} : { limits: { states } }),
});

const textOf = (options: Readonly<Record<string, Json>>) =>
  Object.entries(options)
    .map(([option, value]) => `${option}=${value}`)
    .join(' ');

/** `greedy=2 holder=b` */
const optionsOf = (text: string): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    text.split(' ').flatMap((part): [string, Json][] => {
      const [option = '', value = ''] = part.split('=');
      if (option === '') return [];
      return [
        [
          option,
          value === 'true' || value === 'false'
            ? value === 'true'
            : /^\d+$/.test(value)
              ? Number(value)
              : value,
        ],
      ];
    }),
  );
