/**
 * Every protocol of the catalogue does the same under any names of its nodes whose order, as
 * strings, is the same.
 */
import { explore } from '@conclave/check';
import { usualWorkload } from '@conclave/core/internal/simulation';
import type { Json, Protocol } from '@conclave/core/protocol';
import { simulate } from '@conclave/core/simulation';
import { type Topology, topology as topologyOf } from '@conclave/core/topology';
import { parseTrace, replay, traceText } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect } from 'vitest';
import { catalogue } from '../catalogue.js';

/** Names that are easily taken for something else. */
const hostile: Readonly<Record<string, readonly string[]>> = {
  'whole numbers': ['10', '9', '2', '100', '1', '33', '7', '07'],
  'what every object has': [
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'toJSON',
    'length',
    '__defineGetter__',
  ],
  'other texts': ['😀', 'é', 'e\u0301', 'long'.repeat(500), 'a!', 'a', 'from:%2C', 'true'],
};

/** The nodes of `topology`, each with another name; the order of the names is the same. */
function namesFor({ nodes }: Topology, names: readonly string[]): ReadonlyMap<string, string> {
  const sorted = names.slice(0, nodes.length).sort();
  return new Map([...nodes].sort().map((id, rank) => [id, sorted[rank] ?? '']));
}

function renamed({ nodes, links }: Topology, names: ReadonlyMap<string, string>): Topology {
  const text = (id: string) => encodeURIComponent(names.get(id) ?? '').replaceAll('-', '%2D');
  const items = links.map(({ from, to, delay, port }) => {
    const link = `${text(from)}>${text(to)}`;
    return `${link}${delay === undefined ? '' : `:${delay}`}${port === undefined ? '' : `@${port}`}`;
  });
  return topologyOf(`edges:${[...nodes.map(text), ...items].join(',')}`);
}

/** What is found in an exploration that says no name. */
function explored(protocol: Protocol, topology: Topology) {
  const { states, transitions, depth, properties } = explore(protocol, topology, {
    limits: { states: 400 },
  });
  const verdicts = properties.map(({ name, verdict, trace }) => [
    name,
    verdict,
    trace?.lines.length,
  ]);
  for (const { trace } of properties) {
    if (!trace) continue;
    expect(parseTrace(traceText(trace)).lines).toEqual(trace.lines);
    expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
  }
  return { states, transitions, depth, verdicts };
}

/** What a run shows: all of it but the names. */
function simulated(protocol: Protocol, topology: Topology, seed: number) {
  const workload = usualWorkload(protocol, { entries: 2 });
  const conditions = { delay: { kind: 'uniform', least: 1, most: 40 } } as const;
  const result = simulate({
    protocol,
    topology,
    workload,
    conditions,
    seed,
    record: true,
    until: { steps: 300, time: 5_000 },
  });
  const { steps, virtualMs, messages, load, properties, ended, trace } = result;
  if (!trace) throw new Error('record: true brings a trace');
  const text = traceText(trace);
  expect(traceText(parseTrace(text))).toBe(text);
  expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
  const lines = trace.lines.map(({ time, node, event, before, after, effects }) => ({
    time,
    node: topology.nodes.indexOf(node),
    kind: event.kind,
    states: [before, after],
    effects: effects.map((effect) =>
      effect.kind === 'send' ? topology.nodes.indexOf(effect.to) : effect.kind,
    ),
  }));
  return {
    ...{ steps, virtualMs, messages, ended, lines },
    load: topology.nodes.map((id) => load[id]),
    verdicts: properties.map(({ name, verdict }) => [name, verdict]),
  };
}

const rows = catalogue.flatMap(({ id, name, make, charted }) =>
  [{}, ...charted].map(
    (options: Readonly<Record<string, Json>>) =>
      [`${id} ${name} ${JSON.stringify(options)}`, make, options] as const,
  ),
);

describe.each(Object.entries(hostile))('%s as names', (kind, names) => {
  proof.each(rows)('%s', (_name, make, options) => {
    for (const n of kind === 'whole numbers' ? [3, 4] : [3]) {
      const protocol = make(options);
      const topology = protocol.topology.example(n);
      const to = namesFor(topology, n === 3 ? names : names.toReversed());
      const given = Object.entries(options).map(([option, value]) => [
        option,
        to.get(String(value)) ?? value,
      ]);
      const other = make(Object.fromEntries(given));
      const network = renamed(topology, to);
      if (n === 3) expect(explored(other, network)).toEqual(explored(protocol, topology));
      for (const seed of [1, 2])
        expect(simulated(other, network, seed)).toEqual(simulated(protocol, topology, seed));
    }
  });
});
