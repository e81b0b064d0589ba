import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conform, type JournalSource } from '@conclave/check/conform';
import { never, type Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { protocolOf } from '@conclave/tools/catalogue';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { run } from '../run.js';
import {
  forged,
  isStep,
  type JournalMutant,
  journalMutants,
  linesOf,
  sourceOf,
} from './journal-mutants.contract.js';
import { type RunOptions, recordedRun } from './recorded-run.contract.js';

const system = (id: string): readonly [Protocol, Topology] => {
  const protocol = protocolOf(id);
  return [protocol, protocol.topology.example(3)];
};

const faultsOf = ({ channels }: Protocol) => ({
  losses: channels.loss ? 100 : 0,
  duplications: channels.duplication ? 100 : 0,
});

async function journalsOf(id: string, options: RunOptions): Promise<readonly JournalSource[]> {
  const [protocol, network] = system(id);
  return recordedRun(protocol, network, { ...faultsOf(protocol), ...options });
}

describe('runs of embedded nodes', () => {
  proof.each([
    'A1',
    'A2',
    'A3',
    'A4',
    'A7',
    'A11',
    'A13',
    'A14',
    'A18',
    'B1',
    'B15',
    'C2',
    'C4',
    'C5',
  ])('%s conforms', async (id) => {
    const [protocol, network] = system(id);
    const result = conform(protocol, network, await journalsOf(id, { seed: 1, steps: 80 }));
    const timed = result.complaints.filter(
      ({ kind }) => kind !== 'property' || protocol.channels.time === undefined,
    );
    expect(timed).toEqual([]);
    expect(result.journals.map(({ end }) => end)).toEqual(network.nodes.map(() => 'closed'));
    expect(result.steps).toBeGreaterThan(7);
  });

  it('judges safety on every consistent cut', async () => {
    const [protocol, network] = system('A3');
    const { cuts, properties } = conform(
      protocol,
      network,
      await journalsOf('A3', { seed: 1, steps: 80 }),
    );
    expect(cuts).toBeGreaterThan(80);
    expect(properties.find(({ kind }) => kind === 'always')).toMatchObject({
      extent: 'every consistent cut',
      violated: false,
    });
  });

  it('falls back to one causal order, and says so', async () => {
    const [protocol, network] = system('A3');
    const { cuts, properties } = conform(
      protocol,
      network,
      await journalsOf('A3', { seed: 1, steps: 80 }),
      { cuts: 10 },
    );
    expect(cuts).toBe(0);
    expect(properties[0]).toMatchObject({
      extent: 'one causal order',
      note: 'there are too many consistent cuts',
    });
  });

  it('finds a global state that a property forbids', async () => {
    const [protocol, network] = system('A3');
    const sentence = never('two nodes wait at once', ({ count }) => count('waiting') > 1);
    const { verdict, complaints } = conform(
      protocol,
      network,
      await journalsOf('A3', { seed: 1, steps: 80 }),
      { properties: [sentence] },
    );
    expect([verdict, complaints[0]?.kind]).toEqual(['violates', 'property']);
  });

  it.each([
    ['before', 0, true],
    ['after', 99, false],
  ] as const)(
    'a start without a step, %s the one that ran, is no node',
    async (_when, incarnation, isClosed) => {
      const [protocol, network] = system('A3');
      const journals = await journalsOf('A3', { seed: 1, steps: 80 });
      const header = linesOf(journals[0] as JournalSource).lines.filter(
        (line) => line.startsWith('# ') && !line.startsWith('# closed'),
      );
      const lines = header.map((line) =>
        line.replace(/^# incarnation: .*/, `# incarnation: ${incarnation}`),
      );
      const refused = {
        name: 'refused',
        text: `${[...lines, ...(isClosed ? ['# closed: 0'] : [])].join('\n')}\n`,
      };
      const crashed = never('a node is crashed', ({ nodes }) => nodes.some((node) => node.crashed));
      const alone = conform(protocol, network, journals, { properties: [crashed] });
      const result = conform(protocol, network, [refused, ...journals], { properties: [crashed] });
      expect(result).toMatchObject({
        verdict: 'conforms',
        complaints: [],
        cuts: alone.cuts,
        messages: alone.messages,
      });
      expect(result.journals).toHaveLength(alone.journals.length + 1);
      expect(result.journals).toContainEqual(
        expect.objectContaining({
          file: 'refused',
          incarnation,
          steps: 0,
          end: isClosed ? 'closed' : 'open',
        }),
      );
    },
  );

  it.each([false, true])(
    'follows restarts through stable fields (tails cut: %s)',
    async (cutsTails) => {
      const [protocol, network] = system('B1');
      const result = conform(
        protocol,
        network,
        await journalsOf('B1', { seed: 3, steps: 120, restarts: 3, cutsTails }),
        { properties: [] },
      );
      expect(result.complaints).toEqual([]);
      expect(result.verdict).toBe('conforms');
      expect(result.journals.filter(({ incarnation }) => incarnation > 1)).toHaveLength(3);
      expect(result.journals.filter(({ end }) => end === 'open')).toHaveLength(3);
    },
  );
});

/** Why a mutant is a run as well; undefined where it is none. */
function equivalence(
  { kind, journals, file, line }: JournalMutant,
  before: readonly { readonly lines: readonly string[] }[],
  protocol: Protocol,
): string | undefined {
  const lines = before[file]?.lines ?? [];
  const stateIn = (text = '') => / state (\w+)/.exec(text)?.[1];
  const [previous, one, other] = [lines[line - 1], lines[line], lines[line + 1]];
  if (
    kind === 'pair swapped, renumbered' &&
    stateIn(previous) === stateIn(one) &&
    stateIn(one) === stateIn(other)
  )
    return 'neither step changes the state';
  const edited = journals[file]?.lines[line] ?? '';
  const sender = / {2}\S+ from (\S+)|^\S+ {2}.+? from (\S+)/.exec(edited)?.[2];
  const number = / from \d+\.(\d+)/.exec(edited)?.[1];
  const call = /^\S+ {2}(.+?) from /.exec(edited)?.[1];
  if (kind !== 'label: number' || !protocol.channels.loss || call === undefined) return undefined;
  const isSent = before.some(({ lines: own }) =>
    own.some(
      (text) =>
        text.startsWith(`${sender} `) &&
        text.includes(`: ${call}`) &&
        new RegExp(` sent (\\d+ )*${number}( |$)`).test(text.replace(' state', '')),
    ),
  );
  return isSent ? 'the same text was sent twice, and the channel may lose and double' : undefined;
}

/** Safety that rests on time is not judged by an order that is one of several. */
it('a lock with leases: exclusion is not judged, and says why', async () => {
  const [protocol, network] = system('A19');
  const { properties, cuts } = conform(
    protocol,
    network,
    await journalsOf('A19', { seed: 1, steps: 200 }),
  );
  expect(cuts).toBe(0);
  for (const { kind, extent, violated, note } of properties) {
    // its steps rest on time, too, and here timers fire in any order
    if (kind !== 'everyStep') expect(violated).toBe(false);
    if (kind === 'always' || kind === 'never')
      expect([extent, note]).toEqual([
        'not checked',
        'the protocol relies on time, which journals do not tell',
      ]);
    if (kind === 'increases') expect(extent).toBe('the causal past of each step');
  }
});

describe('mutants of journals', () => {
  proof.each([
    ['A3', 26],
    ['A2', 24],
    ['B15', 16],
    ['A14', 22],
    ['C4', 16],
  ])('%s: each is noticed, or is a run as well', async (id, steps) => {
    const [protocol, network] = system(id);
    const journals = (await journalsOf(id, { seed: 1, steps })).map(linesOf);
    const check = (
      mutated: readonly { readonly name: string; readonly lines: readonly string[] }[],
    ) => {
      try {
        return conform(protocol, network, mutated.map(sourceOf), { cuts: 0, properties: [] })
          .verdict;
      } catch (error) {
        expect(error).toMatchObject({ code: 'bad-trace' }); // a header that is none
        return 'refused';
      }
    };
    expect(check(journals)).toBe('conforms');
    let count = 0;
    const missed: string[] = [];
    const kinds = new Set<string>();
    for (const mutant of journalMutants(journals, network.nodes)) {
      count++;
      kinds.add(mutant.kind);
      if (
        check(mutant.journals) === 'conforms' &&
        equivalence(mutant, journals, protocol) === undefined
      )
        missed.push(`${mutant.kind} ${mutant.what}`);
    }
    expect(missed).toEqual([]);
    expect(count).toBeGreaterThan(200);
    expect(kinds.size).toBeGreaterThan(15);
  });

  it('a message under the number of another one is altered, and the other one is doubled', async () => {
    const [protocol, network] = system('A3');
    const [first, ...others] = (await journalsOf('A3', { seed: 1, steps: 60 })).map(linesOf);
    const again = first?.lines.map((line) =>
      / from \d+\.2( |$)/.test(line) ? forged(line.replace(/( from \d+\.)2( |$)/, '$11$2')) : line,
    );
    const changed = [{ name: 'a', lines: again ?? [] }, ...others];
    const { complaints } = conform(protocol, network, changed.map(sourceOf));
    expect(new Set(complaints.map(({ kind }) => kind))).toEqual(new Set(['altered', 'doubled']));
  });

  it('a journal without its end is a prefix: what its peers saw of the end is reported', async () => {
    const [protocol, network] = system('A3');
    const journals = (await journalsOf('A3', { seed: 1, steps: 60 })).map(linesOf);
    const shortened = journals.map((journal, index) =>
      index === 0 ? { ...journal, lines: journal.lines.slice(0, 12) } : journal,
    );
    const {
      verdict,
      journals: checked,
      notes,
    } = conform(protocol, network, shortened.map(sourceOf));
    expect(verdict).toBe('conforms');
    expect(checked[0]).toMatchObject({ end: 'open' });
    expect(checked[0]?.missing).toBeGreaterThan(0);
    expect(notes).toContainEqual(
      expect.stringMatching(/its end is missing: \d+ messages to [bc] arrived/),
    );
  });

  it('a torn last line is left out', async () => {
    const [protocol, network] = system('A3');
    const [first, ...others] = await journalsOf('A3', { seed: 1, steps: 30 });
    const torn = { name: 'a', text: [...(first?.text ?? '')].join('').slice(0, -40) };
    const { verdict, notes } = conform(protocol, network, [torn, ...others]);
    expect(verdict).toBe('conforms');
    expect(notes).toContain('a: its last line is cut off, and was left out.');
  });

  it('a gap, or a journal that is missing, leaves the verdict open', async () => {
    const [protocol, network] = system('A3');
    const journals = (await journalsOf('A3', { seed: 1, steps: 60 })).map(linesOf);
    const gap = journals.map((journal, index) =>
      index === 0 ? { ...journal, lines: journal.lines.with(10, '# gap: 1 no space') } : journal,
    );
    expect(conform(protocol, network, gap.map(sourceOf)).verdict).toBe('incomplete');
    expect(conform(protocol, network, journals.slice(1).map(sourceOf)).verdict).toBe('incomplete');
  });
});

describe('conclave conform', () => {
  const page = readFileSync(new URL('../../../../docs/journals.md', import.meta.url), 'utf8');

  async function conformed(
    change: (lines: readonly string[]) => readonly string[] = (lines) => lines,
    ...options: readonly string[]
  ) {
    const folder = mkdtempSync(join(tmpdir(), 'journals-'));
    const journals = (await journalsOf('A3', { seed: 2, steps: 24 })).map(linesOf);
    for (const [index, { name, lines }] of journals.entries())
      writeFileSync(
        join(folder, name),
        sourceOf({ name, lines: index === 0 ? change(lines) : lines }).text as string,
      );
    let stdout = '';
    const write = (text: string) => {
      stdout += text;
    };
    const code = await run(['conform', folder, ...options], {
      stdout: write,
      stderr: write,
      isTTY: false,
    });
    rmSync(folder, { recursive: true });
    return { code, text: stdout.replaceAll(folder, 'journals'), first: journals[0]?.lines ?? [] };
  }

  it('says that the journals of docs/journals.md conform', async () => {
    const { code, text, first } = await conformed();
    expect(code).toBe(0);
    expect(page).toContain(first.slice(0, 12).join('\n'));
    expect(page).toContain(text);
  });

  it('says where one does not: the second output of docs/journals.md', async () => {
    const place = (lines: readonly string[]) => lines.findLastIndex(isStep) - 2;
    const { code, text } = await conformed((lines) => lines.toSpliced(place(lines), 1));
    expect(code).toBe(1);
    expect(page).toContain(text);
  });

  it('prints JSON, and refuses a folder without journals', async () => {
    const { code, text } = await conformed(undefined, '--json');
    expect([code, JSON.parse(text)]).toEqual([
      0,
      expect.objectContaining({ verdict: 'conforms', complaints: [] }),
    ]);
    let error = '';
    const io = { stdout: () => {}, stderr: (line: string) => (error += line), isTTY: false };
    const folder = mkdtempSync(join(tmpdir(), 'empty-'));
    expect(await run(['conform', folder], io)).toBe(2);
    expect(error).toContain('has no journals');
    writeFileSync(join(folder, 'a.1.journal'), '');
    expect(await run(['conform', folder], io)).toBe(2);
    expect(error).toContain('The journal is empty');
  });

  it('leaves out the journal of a process that ended before its node started', async () => {
    const [protocol, network] = system('A3');
    const journals = await journalsOf('A3', { seed: 2, steps: 24 });
    for (const text of ['', { *[Symbol.iterator]() {} }]) {
      const early = { name: 'a.0.journal', text };
      const { verdict, notes } = conform(protocol, network, [early, ...journals]);
      expect([verdict, notes]).toEqual([
        'conforms',
        ['a.0.journal is empty: its process ended before its node started.'],
      ]);
    }
  });
});
