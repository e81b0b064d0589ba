/**
 * A judged run agrees with the explorer, which knows all runs, and with the monitor of a
 * simulation, which knows one.
 */
import { describe, expect, it } from 'vitest';
import { Random } from '../../base/random.js';
import {
  always,
  alwaysEventually,
  atMost,
  eventually,
  everyStep,
  increases,
  leadsTo,
  type NodeView,
  never,
  overtaken,
  type Property,
  type SystemView,
  sometimes,
} from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import { Monitor } from '../../simulation/monitor.js';
import type { Topology } from '../../topology/topology.js';
import { explore } from '../explore/explore.js';
import { askable, systems } from '../fixtures/systems.contract.js';
import { nextOrFault } from '../worlds/next-or-fault.js';
import { stepOf } from '../worlds/world.js';
import { Worlds } from '../worlds/worlds.js';
import { type JudgedRun, RunJudge } from './run-judge.js';

const waits = ({ tags }: NodeView) => tags.has('waiting');
const values = (system: SystemView) =>
  new Set(system.nodes.map(({ value }) => JSON.stringify(value))).size;

/** Of every kind; each is violated in some of the systems. */
const questions: readonly Property[] = [
  always('at most one waits', (system) => system.count('waiting') <= 1),
  always('at most two messages are in flight', (system) => system.inFlight().length <= 2),
  never('all wait', (system) => system.count('waiting') === system.nodes.length),
  sometimes('all are in one state', (system) => values(system) === 1),
  sometimes('all have crashed', (system) => system.live === 0),
  eventually('a node waits', (system) => system.count('waiting') > 0),
  alwaysEventually('nobody waits', (system) => system.count('waiting') === 0),
  alwaysEventually('no message is in flight', (system) => system.inFlight().length === 0),
  leadsTo('a node that waits goes on', waits, (node) => !waits(node)),
  leadsTo('a node that does not wait waits later', (node) => !waits(node), waits),
  increases('calls grow', ({ context, tags }) =>
    tags.has('waiting') ? Number(context.calls) : undefined,
  ),
  everyStep(
    'no node stops waiting by a timeout',
    ({ before, after, cause }) => cause.kind !== 'timeout' || waits(after) || !waits(before),
  ),
  everyStep('at most one message is sent in a step', ({ sent }) => sent.length <= 1),
  overtaken(0, { inside: waits, waits, name: 'a node that waits is the last one to' }),
  overtaken(1, {
    inside: (node) => !waits(node),
    waits,
    name: 'while one waits, each other one stops at most once',
  }),
];

const commandOf = (protocol: Protocol) =>
  Object.entries(protocol.commands).flatMap(([type, { kind }]) =>
    kind === 'optional' ? type : [],
  );

/** The questions that a protocol can be asked. */
const asked = (protocol: Protocol): readonly Property[] =>
  askable(protocol, [
    ...protocol.properties,
    ...questions,
    ...commandOf(protocol).flatMap((per) => [1, 2, 3].map((most) => atMost(most, { per }))),
  ]);

/** The moments of a random run, until it ends. */
function* walked(
  worlds: Worlds,
  judge: RunJudge,
  random: Random,
  most: number,
): Generator<JudgedRun> {
  let run = judge.begin();
  yield run;
  for (let step = 0; step < most && !run.position.fault; step++) {
    const actions = worlds.actions(run.position.world);
    if (actions.length === 0) return;
    const action = random.pick(actions);
    run = judge.after(run, action, nextOrFault(worlds, run.position.world, action));
    yield run;
  }
}

/** What the explorer refuted or reached, by its kind. */
const decided = new Set<string>();

describe.each(systems.map(([name, ...system]) => ({ name, system })))(
  '$name',
  ({ system: [protocol, topology, options] }) => {
    const properties = asked(protocol);
    const worlds = new Worlds(protocol, topology, options);
    const judge = new RunJudge(worlds, properties);

    const found = explore(protocol, topology, { ...options, properties });

    it('is false on each counterexample of the explorer, and true where it reaches something', () => {
      for (const { name, verdict, steps, loopsFromStep } of found.properties) {
        if (!steps) continue;
        let run = judge.begin();
        const runs = [run];
        for (const number of steps) {
          const action =
            worlds.actions(run.position.world)[number] ?? expect.fail('no such action');
          run = judge.after(run, action, nextOrFault(worlds, run.position.world, action));
          runs.push(run);
        }
        const first = loopsFromStep === undefined ? undefined : runs[loopsFromStep];
        const standings = first ? judge.repeated(first, run) : run.standings;
        const value = standings?.find((standing) => standing.name === name)?.value;
        expect([name, loopsFromStep, value]).toEqual([
          name,
          loopsFromStep,
          verdict === 'violated' ? 'false' : 'true',
        ]);
        decided.add(
          `${verdict} ${found.properties.find((property) => property.name === name)?.kind}${first ? ' forever' : ''}`,
        );
      }
    });

    it('is false on no run where the explorer proves it', () => {
      const proved = new Set(
        found.properties.flatMap(({ name, verdict }) =>
          verdict === 'holds' || verdict === 'vacuous' ? name : [],
        ),
      );
      for (let seed = 1; seed <= 4; seed++)
        for (const { standings } of walked(worlds, judge, new Random(seed), 40))
          for (const { name, value } of standings)
            if (value === 'false') expect([name, proved.has(name)]).toEqual([name, false]);
    });

    it('is what a monitor says of the same run', () => {
      for (let seed = 1; seed <= 4; seed++) {
        let last: JudgedRun | undefined;
        const monitors = properties.map((property) => monitored(property, protocol, topology));
        for (const run of walked(worlds, judge, new Random(seed), 40)) {
          last = run;
          if (run.position.fault) break;
          for (const monitor of monitors) monitor.see(run);
        }
        if (!last || last.position.fault) continue;
        const { isQuiescent } = last.position;
        for (const [index, { monitor }] of monitors.entries()) {
          const property = properties[index];
          // The explorer does not count a node that starts inside as one that enters; the monitor
          // does.
          if (
            property?.kind === 'overtaken' &&
            judge.begin().position.view.nodes.some((node) => property.inside(node))
          )
            continue;
          const [report] = monitor.finish(isQuiescent);
          const standing = last.standings[index];
          const isFalse = standing?.value === 'false';
          expect([seed, standing?.name, isFalse]).toEqual([
            seed,
            report?.name,
            report?.verdict === 'violated',
          ]);
          if (report?.verdict === 'reached' || report?.verdict === 'holds')
            expect([standing?.name, standing?.value]).toEqual([report.name, 'true']);
        }
      }
    });
  },
);

it('was asked about every kind of property', () => {
  expect([...decided].sort()).toEqual([
    'reached sometimes',
    'violated always',
    'violated alwaysEventually forever',
    'violated atMost',
    'violated atMost forever',
    'violated eventually forever',
    'violated everyStep',
    'violated increases',
    'violated leadsTo forever',
    'violated never',
    'violated overtaken',
  ]);
});

/** A monitor that sees a system as a simulation shows it: the nodes stay the same objects. */
function monitored(property: Property, protocol: Protocol, { nodes: ids }: Topology) {
  let now: SystemView | undefined;
  const current = (): SystemView => now ?? expect.fail('no world yet');
  const nodes = ids.map((id) =>
    Object.defineProperties(
      {} as NodeView,
      Object.fromEntries(
        (['id', 'role', 'value', 'context', 'tags', 'crashed', 'history'] as const).map((field) => [
          field,
          { get: () => current().node(id)[field] },
        ]),
      ),
    ),
  );
  const system: SystemView = {
    nodes,
    get live() {
      return current().live;
    },
    node: (id) => nodes[ids.indexOf(id)] ?? expect.fail('no such node'),
    count: (tag) => current().count(tag),
    tagged: (tag) => nodes.filter(({ id }) => current().tagged(tag).includes(current().node(id))),
    distinct: (tag, field) => current().distinct(tag, field),
    inFlight: (type) => current().inFlight(type),
  };
  const monitor = new Monitor([property], system);
  return {
    monitor,
    see: ({ position }: JudgedRun) => {
      const { taken, view, worlds } = position;
      if (!taken) {
        for (const { message } of view.inFlight()) monitor.sent(message.type);
        now = view;
        monitor.begin();
        return;
      }
      const { action, from } = taken;
      const step = stepOf(action);
      if (step?.type === 'command') monitor.commanded(step.command.type);
      for (const effect of worlds.perform(from.world, action).effects)
        if (effect.type === 'send' && effect.message.type !== protocol.crashNotice)
          monitor.sent(effect.message.type);
      now = view;
      if (property.kind === 'everyStep') {
        const { step } = position;
        if (step && !property.allows(step)) monitor.violated ??= property;
      } else if ('node' in action || action.type === 'deliver') {
        monitor.step(system.node('node' in action ? action.node : action.to));
      } else monitor.look();
    },
  };
}
