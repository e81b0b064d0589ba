import { relative } from 'node:path/posix';
import { specification } from '@conclave/core/chart';
import { nodesAccepting, optionalCommands } from '@conclave/core/internal/protocol';
import type { Command, Protocol } from '@conclave/core/protocol';
import { closedLoop, idleFor, oneShot, simulate } from '@conclave/core/simulation';
import { complete, type Topology } from '@conclave/core/topology';
import { replay, spaceTimeSvg, type Trace, traceText } from '@conclave/core/trace';
import type { AnyTransitionDefinition } from 'xstate';
import { catalogue } from './catalogue.js';
import { curvePart, curveSvg } from './detectors/heartbeat/curve.js';
import { type Entry, named } from './entry.js';
import {
  curvePart as multicastCurvePart,
  curveSvg as multicastCurveSvg,
} from './groups/negative-multicast/curve.js';
import { breaks, weakerOrders } from './groups/weaker-orders.js';
import { ricartAgrawala } from './mutual-exclusion/permission/ricart-agrawala/protocol.js';

type SimulationOptions = Parameters<typeof simulate>[0];

/** A run of three nodes in which one crashes, until the others suspect it. */
const crashRun = (protocol: Protocol, topology: Topology): SimulationOptions => ({
  protocol,
  topology,
  workload: idleFor(360),
  faults: [{ kind: 'crash', node: topology.nodes.at(-1) ?? '', at: 60, inside: false }],
  conditions: { delay: { kind: 'uniform', least: 50, most: 100 }, order: protocol.channels.order },
  record: true,
});

/**
 * How many messages are lost in the pictures of these protocols: what they do without a loss is not
 * the point.
 */
const lossy: ReadonlyMap<string, number> = new Map([['negative-multicast', 0.2]]);

/** A run that `command` begins at two nodes at about the same time. */
function commandedRun(protocol: Protocol, topology: Topology, command: Command): SimulationOptions {
  const able = nodesAccepting(protocol, topology, command.type);
  const nodes = [...new Set([able[0], able.at(-1)])].flatMap((id) => id ?? []);
  const after = { kind: 'uniform', least: 0, most: 3 } as const;
  return {
    protocol,
    topology,
    workload:
      'release' in protocol.commands
        ? closedLoop({ nodes, think: after })
        : oneShot(command, { nodes, after }),
    conditions: {
      delay: { kind: 'uniform', least: 1, most: 9 },
      order: protocol.channels.order,
      loss: lossy.get(protocol.name) ?? 0,
    },
    record: true,
  };
}

/** The run that `command` begins, in which the first node crashes. */
const commandedCrashRun = (
  protocol: Protocol,
  topology: Topology,
  command: Command,
): SimulationOptions => ({
  ...commandedRun(protocol, topology, command),
  faults: [{ kind: 'crash', node: topology.nodes[0] ?? '', at: 10, inside: false }],
});

/** An ordinary run of three nodes, short enough to read. */
function ordinaryRun(protocol: Protocol): Trace {
  const topology = protocol.topology.example(3);
  const [command] = optionalCommands(protocol);
  const commanded = protocol.crashNotice === undefined ? commandedRun : commandedCrashRun;
  const { trace } = simulate(
    command ? commanded(protocol, topology, command) : crashRun(protocol, topology),
  );
  if (!trace) throw new Error(`${protocol.name}: the run was not recorded`);
  return trace;
}

/**
 * At the beginning of a transition's description: the rules of the page that it follows, such as
 * `RA2, RA4`.
 */
const rulesOf = ({ description = '' }: AnyTransitionDefinition): readonly string[] =>
  /^[A-Z]+\d+(, [A-Z]+\d+)*(?=:|$)/.exec(description)?.[0].split(', ') ?? [];

/** By line of a run, the rules that the step follows. */
function rulesByLine(protocol: Protocol, trace: Trace): readonly string[] {
  const notes = trace.lines.map(() => '');
  replay(protocol, protocol.topology.example(3), trace, (step, transitions) => {
    notes[step] = [...new Set(transitions.flatMap(rulesOf))].join(' ');
  });
  return notes;
}

/**
 * The run as a space-time diagram, each step with the numbers of its rules. In a lock made of
 * locks, the client's state counts.
 */
function annotated(protocol: Protocol, trace: Trace): string {
  const isComposed = trace.lines.some(({ after = '' }) => after.includes('client.'));
  return spaceTimeSvg(trace, {
    title: `${protocol.title}: one run`,
    strong: [isComposed ? 'client.held' : 'held', 'eating', 'organiser.held', 'leader'],
    notes: rulesByLine(protocol, trace),
  });
}

/** The picture of docs/checking.md: three nodes compete, messages overtake each other. */
export function picture(): string {
  const { trace } = simulate({
    protocol: ricartAgrawala,
    topology: complete(3),
    workload: closedLoop(),
    conditions: { order: 'any', delay: { kind: 'uniform', least: 5, most: 40 } },
    seed: 4,
    record: true,
  });
  return trace ? spaceTimeSvg(trace) : '';
}

/** What is generated for the page of a protocol. */
export interface GeneratedPage {
  /** The picture of a run, `run.svg`. */
  readonly picture: string;
  /** The parts of the page, by what their markers say. */
  readonly parts: ReadonlyMap<string, string>;
  /** Further pictures, by file. */
  readonly more: ReadonlyMap<string, string>;
}

/** The measured curves, by the protocol's name. */
const curves: ReadonlyMap<string, { readonly part: () => string; readonly svg: () => string }> =
  new Map([
    ['heartbeat', { part: curvePart, svg: curveSvg }],
    ['negative-multicast', { part: multicastCurvePart, svg: multicastCurveSvg }],
  ]);

/** The parts of an algorithm, with links from its page to theirs. */
const partsOf = ({
  folder,
  parts,
}: Entry): NonNullable<NonNullable<Parameters<typeof specification>[1]>['parts']> =>
  Object.fromEntries(
    Object.entries(parts).map(([region, id]) => {
      const part = named(catalogue, id);
      if (!part) throw new Error(`${folder}: no algorithm has the id ${id}`);
      return [
        region,
        {
          title: `${part.id} ${part.make().title}`,
          href: `${relative(folder, part.folder)}/README.md`,
        },
      ];
    }),
  );

/** What is generated for each protocol's page, by the page's folder under `src`. */
export function generatedPages(): ReadonlyMap<string, GeneratedPage> {
  return new Map(
    catalogue.map((entry) => {
      const { make, folder, charted } = entry;
      const protocol = make();
      const trace = ordinaryRun(protocol);
      const variants = charted.map((options) => [options, make(options)] as const);
      const parts = new Map([
        [
          'run',
          `![A run of ${protocol.title} as a space-time diagram; each step has the number of its rule](run.svg)`,
        ],
        [
          'npm run generate',
          specification(protocol, { trace: traceText(trace), variants, parts: partsOf(entry) }),
        ],
      ]);
      const more = new Map<string, string>();
      for (const [name, weaker] of Object.entries(weakerOrders)) {
        const found = weaker.folder === folder ? breaks(weaker) : undefined;
        if (!found) continue;
        parts.set(name, `![${weaker.title}: the run as a space-time diagram](${name}.svg)`);
        more.set(`${name}.svg`, spaceTimeSvg(found, { title: weaker.title }));
      }
      const curve = curves.get(protocol.name);
      if (curve) {
        parts.set('curve', curve.part());
        more.set('curve.svg', curve.svg());
      }
      return [folder, { picture: annotated(protocol, trace), parts, more }];
    }),
  );
}
