/**
 * A protocol's statechart is its specification. Prints a page about Raymond's algorithm or, with
 * `--chart`, its statechart as Mermaid text.
 */
import { raymond } from '@conclave/algorithms/raymond';
import { chart, specification } from '@conclave/core/chart';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { tree } from '@conclave/core/topology';
import { traceText } from '@conclave/core/trace';

const protocol = raymond({ greedy: 2 });
const { trace } = simulate({
  protocol,
  topology: tree(2, 3),
  workload: closedLoop({ nodes: ['b', 'c'] }),
  record: true,
});

if (process.argv.includes('--chart'))
  for (const { machine } of Object.values(protocol.roles)) console.log(chart(machine));
else
  console.log(
    `# ${protocol.title}\n\n${specification(protocol, trace ? { trace: traceText(trace) } : {})}`,
  );
