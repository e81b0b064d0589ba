import { specification } from '@conclave/core/chart';
import { nodesAccepting, type Protocol } from '@conclave/core/protocol';
import { closedLoop, oneShot, type SimulationOptions, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { spaceTimeSvg, traceText } from '@conclave/core/trace';
import { catalogue } from './catalogue.js';
import { ricartAgrawala } from './mutual-exclusion/permission/ricart-agrawala/protocol.js';

/** An ordinary run, short enough to read: three nodes, two of which wish something at about the same time. */
function ordinaryRun(protocol: Protocol): string {
  const topology = protocol.topology.example(3);
  const command = protocol.problem === 'election' ? 'elect' : 'acquire';
  const able = nodesAccepting(protocol, topology, command);
  const nodes = [...new Set([able[0], able.at(-1)])].flatMap((id) => id ?? []);
  const after = { kind: 'uniform', least: 0, most: 3 } as const;
  const workload = protocol.problem === 'election' ? oneShot({ type: 'elect' }, { nodes, after }) : closedLoop({ nodes, think: after });
  const options: SimulationOptions = {
    protocol,
    topology,
    workload,
    conditions: { delay: { kind: 'uniform', least: 1, most: 9 }, order: protocol.channels.order },
    record: true,
  };
  const { trace } = simulate(options);
  return trace ? traceText(trace) : '';
}

/** The picture of the README: three nodes compete, messages overtake each other. */
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

/** The generated part of each protocol's page, by the page's folder under `src`. */
export function generatedParts(): ReadonlyMap<string, string> {
  return new Map(
    catalogue.map(({ make, folder, charted }) => {
      const protocol = make();
      return [
        folder,
        specification(protocol, { trace: ordinaryRun(protocol), variants: charted.map((options) => [options, make(options)]) }),
      ];
    }),
  );
}
