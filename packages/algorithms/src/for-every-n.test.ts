import { readFileSync } from 'node:fs';
import { explore, type Proof, prove } from '@conclave/core/exploration';
import { mutantsOf } from '@conclave/core/internal/mutation';
import { standardProperties } from '@conclave/core/internal/protocol';
import type { Protocol } from '@conclave/core/protocol';
import { type Topology, topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { catalogue } from './catalogue.js';
import { treesWithToken } from './checks/networks.js';
import { rings } from './election/rings.contract.js';
import { type ForEveryN, forEveryN } from './for-every-n.js';

const claims = catalogue.flatMap(({ id, make }) =>
  (forEveryN[id] ?? []).map((claim) => {
    const name = [id, ...Object.keys(claim.options)].join(' ');
    return [name, { claim, protocol: make(claim.options) }] as const;
  }),
);

/** What the page says of the figures of a proof. */
const onPage: Readonly<Record<string, (figures: NonNullable<Proof['figures']>) => string>> = {
  A1: ({ views }) => `${views} for this lock`,
  A7: ({ views, worlds }) =>
    `${worlds} states of nodes for Raymond's lock, with what they have sent, and ${views.toLocaleString('en')} views`,
  B3: ({ views }) => `For Chang–Roberts there are ${views} such views`,
};

const networkOf =
  ({ networks }: ForEveryN) =>
  (n: number) =>
    topology(networks.replace(/n$/, String(n)));

const proofOf = (protocol: Protocol, claim: ForEveryN): Proof =>
  prove(protocol, { networks: networkOf(claim), views: claim.views });

const provedIn = ({ properties }: Proof): readonly string[] =>
  properties.flatMap(({ name, verdict }) => (verdict === 'holds for every n' ? [name] : []));

describe('for every n', () => {
  it('speaks of algorithms of the catalogue, and of their properties', () => {
    expect(claims).toHaveLength(Object.values(forEveryN).flat().length);
    for (const [, { protocol, claim }] of claims) {
      const names = [...protocol.properties.map(({ name }) => name), ...standardProperties];
      expect(names).toEqual(expect.arrayContaining([...claim.properties]));
      expect(protocol.topology.refuses(networkOf(claim)(5))).toBeUndefined();
    }
  });

  proof.each(claims)('%s: what is claimed is proved, and no more', (name, { protocol, claim }) => {
    const found = proofOf(protocol, claim);
    expect({ ...claim, properties: provedIn(found), assumed: found.assumptions[0] }).toEqual(claim);
    const isAnyOrder = found.assumptions.some((line) => line.includes('any order around the ring'));
    expect(isAnyOrder).toBe(claim.anyOrder ?? false);
    const isAnyTree = found.assumptions.some((line) =>
      line.includes(`any tree whose nodes have at most ${claim.anyTree} neighbours`),
    );
    expect(isAnyTree).toBe(claim.anyTree !== undefined);
    const page = new URL('../../../docs/for-every-n.md', import.meta.url);
    const said = found.figures && onPage[name]?.(found.figures);
    expect(readFileSync(page, 'utf8')).toContain(said ?? '');
  });

  /** So that each takes minutes only. With other options, some stand for all. */
  const all = 24;
  const some = [0, 8, 16];
  const parts = claims.flatMap(([name, given]) =>
    Array.from({ length: all }, (_, part) => [name, part, given] as const).filter(
      ([, part]) => Object.keys(given.claim.options).length === 0 || some.includes(part),
    ),
  );
  proof.each(parts)(
    `%s: no mutant is proved that fails in a small system, part %i`,
    (_, part, { protocol, claim }) => {
      const wrong = mutantsOf(protocol)
        .filter((_, index) => index % all === part)
        .flatMap((mutant) =>
          provedWrongly(mutant.protocol, claim).map((name) => `${mutant.id}: ${name}`),
        );
      expect(wrong).toEqual([]);
    },
  );
});

const networksOf = (claim: ForEveryN, nodes: number): readonly Topology[] => {
  if (claim.anyOrder) return rings(nodes);
  return claim.anyTree === undefined ? [networkOf(claim)(nodes)] : treesWithToken(nodes);
};

/** So many nodes, and how often each of them gets a command. */
const systems = [
  [2, 3],
  [3, 2],
  [5, 1],
] as const;

/**
 * What is claimed of the algorithm, and proved of a mutant that violates it in a small system. Where
 * `prove` has explored that system, too, it throws an error instead. A mutant that lacks a tag of a
 * property, or never ends a step, is refused.
 */
function provedWrongly(mutant: Protocol, claim: ForEveryN): readonly string[] {
  try {
    const violated = systems.flatMap(([nodes, commands]) =>
      networksOf(claim, nodes).flatMap((network) =>
        explore(mutant, network, { commands, limits: { states: 20_000 } })
          .properties.filter(({ verdict }) => verdict === 'violated')
          .map(({ name }) => name),
      ),
    );
    if (!claim.properties.some((name) => violated.includes(name))) return [];
    return provedIn(proofOf(mutant, claim)).filter((name) => violated.includes(name));
  } catch (error) {
    expect(String(error)).toMatch(/carries the tag|Infinite loop/);
    return [];
  }
}
