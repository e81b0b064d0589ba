import { writeFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { expected } from '@conclave/check';
import { exportAut, exportPromela } from '@conclave/check/internal';
import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import type { Command } from 'commander';
import { attempt, badInput } from '../errors.js';
import { budgetFor, budgetOptions, type CheckBudget, warningsOf } from '../input/environment.js';
import {
  choice,
  declare,
  defined,
  jsonOption,
  measure,
  parsed,
  positive,
  text,
  type ValuesOf,
} from '../input/options.js';
import { networkFor, protocolFor, protocolMeaning, protocolOptions } from '../input/protocol.js';
import { version } from '../installation.js';
import { again, repeatable } from '../output/files.js';
import { counted } from '../output/text.js';
import { answer, remark, type Session, stopOf } from '../session.js';

const exportOptions = {
  topology: text('spec', 'the network, such as ring:3 or complete:2; a small one'),
  format: choice(
    'format',
    ['promela', 'aut', 'drn'],
    'promela: a model for SPIN, with properties; aut: the explored graph for CADP, mCRL2, LTSmin; drn: for Storm (default: promela)',
  ),
  out: text('file', 'write the model to this file (default: print it)'),
  ...budgetOptions,
  maxStates: parsed('n', 'refuse more states than this (default: 1,000,000)', positive),
  maxSeconds: parsed('s', 'refuse what takes longer to explore', measure('seconds')),
  ...protocolOptions,
  ...jsonOption,
};

type Options = ValuesOf<typeof exportOptions>;

const help = `The model is complete: the explorer has found every state of this system. In Promela it is written
from the steps of single nodes, which are few; channels, faults and commands are written anew. So
SPIN finds the states by itself, and must count as many: the head of the model says how many, and
how to run SPIN. aut and drn have the states and transitions that the explorer found.

In Promela there is no exact time, no partition and no --unsent; a protocol that says how
long messages take needs --time untimed. What is drawn at random may be any of its values. drn has
the system of 'conclave expected', where nodes crash between steps only.

Exit codes:
  0  the model is written
  2  a usage or input error; or the model cannot be complete: the error says why, and what to try

Examples:
  conclave export A3 --topology complete:2 --out a3.pml
  conclave export A1 --topology star:3 --format aut --out lock.aut`;

const description = {
  name: 'export',
  description: 'write one system as a model for another tool: SPIN, CADP, mCRL2, LTSmin, Storm',
  argument: ['protocol', protocolMeaning] as const,
  options: exportOptions,
  help,
};

/** `conclave export`: one system as a model for tools that others wrote. */
export const exportCommand = (program: Command, session: Session): void =>
  declare(program, description, async (options, name) => {
    const protocol = await protocolFor(name, options);
    const { topology, note } = networkFor(protocol, options.topology, 2);
    const budget = budgetFor(protocol, options);
    remark(session, note, warningsOf(protocol, budget));
    const { format = 'promela', out, json } = options;
    requireEnding(format, out);
    const system: System = { session, protocol, topology, budget, options };
    const exported = whileRunning(session, () =>
      repeatable(again(session.argv), () => exporters[format](system)),
    );
    if (!exported) return;
    const { text, ...found } = exported;
    if (out !== undefined)
      attempt(`The model cannot be written to '${out}'`, () => writeFileSync(out, text));
    const report = { protocol: protocol.name, topology: topology.spec, format, ...found };
    answer(session, json, { ...report, ...(out === undefined ? { text } : { file: out }) }, () =>
      out === undefined
        ? text
        : `Wrote ${basename(out)}: ${counted(found.states, 'state')}, ${counted(found.transitions, 'transition')}\n${next[format](out)}\n`,
    );
  });

const endings = { promela: '.pml', aut: '.aut', drn: '.drn' } as const;

/** @throws {ConclaveError} `bad-input` for a file that another program would take for its own. */
function requireEnding(format: keyof typeof endings, out: string | undefined): void {
  const ending = extname(out ?? '');
  if (!['', '.', '.txt', endings[format]].includes(ending))
    throw badInput(
      `A model in ${format} is no ${ending} file: '${out}'`,
      `Give a name that ends in ${endings[format]}, or another --format.`,
    );
}

/** Does `act`; what is interrupted has no result. */
function whileRunning<T>(session: Session, act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (session.interrupted?.() !== true) throw error;
    session.exitCode = 130;
    session.stderr('interrupted: nothing was written.\n');
    return undefined;
  }
}

/** What is exported. */
interface System {
  readonly session: Session;
  readonly protocol: Protocol;
  readonly topology: Topology;
  readonly budget: CheckBudget;
  readonly options: Options;
}

const limitsOf = ({ session, options }: System) => ({
  states: options.maxStates ?? 1_000_000,
  ...defined({ seconds: options.maxSeconds }),
  ...stopOf(session),
});

const exporters = {
  promela: (system: System) =>
    exportPromela(system.protocol, system.topology, {
      ...system.budget,
      limits: limitsOf(system),
      head: [`By conclave ${version}: conclave ${system.session.argv.join(' ')}`],
    }),
  aut: (system: System) =>
    exportAut(system.protocol, system.topology, { ...system.budget, limits: limitsOf(system) }),
  drn: exportDrn,
};

/** The decision process of the costs, as `conclave expected` solves it. */
function exportDrn(system: System) {
  const found = expected(system.protocol, system.topology, {
    ...system.budget,
    ...(system.budget.crashes > 0 && { atomicSteps: true }),
    ...{ limits: limitsOf(system), graph: 'drn' as const },
  });
  const text = found.graph?.['.drn'];
  if (text === undefined)
    throw badInput(
      `There is no complete model: ${counted(found.states, 'state')} found, limit: ${found.limit ?? 'none'}`,
      'Take a smaller network, fewer commands and faults, or a higher limit.',
    );
  const { states, transitions, assumptions } = found;
  return { text, states, transitions, assumptions };
}

/** What to do with the file. */
const next = {
  promela: (file: string) => `Its first lines say how to run SPIN: spin -a ${file}`,
  aut: (file: string) => `mCRL2: ltsinfo ${file}; CADP: bcg_io ${file} ${file}.bcg`,
  drn: (file: string) => `storm --explicit-drn ${file} --exact`,
};
