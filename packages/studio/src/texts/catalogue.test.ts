/** What the catalogue says in German: of the rows that lectures are about, and nothing that is no longer said. */
import { catalogue } from '@conclave/algorithms';
import { expect, it } from 'vitest';
import { standardProperties } from '../../../check/src/worlds/standard-properties.js';
import { catalogueTexts, pagesOf } from '../build/page.js';
import { sentencesIn } from '../model/rules.js';

/** The rows that lectures are about, with the siblings that share their pages. */
const isOfLecture = ({ id }: { readonly id: string }): boolean =>
  /^(A([1-9]|1[0-5]|4b)|B([1-9]|1[0-3])|C([1-6]|4b))$/.test(id);

const rows = catalogue.filter(isOfLecture);
const said = catalogueTexts();

it('has the idea and each rule of each row, as its page says them today', () => {
  const { rows: cards, pages } = pagesOf();
  const english = Object.fromEntries(
    rows.map(({ id, name }) => [
      id,
      {
        idea: cards.find((card) => card.id === id)?.idea,
        ...Object.fromEntries(sentencesIn(pages[name]?.html ?? '')),
      },
    ]),
  );
  const translated = Object.fromEntries(
    Object.entries(said.pages).map(([id, page]) => [
      id,
      Object.fromEntries(Object.entries(page).map(([key, { en }]) => [key, en])),
    ]),
  );
  expect(translated).toEqual(english);
});

it('has each property, option and network of each row, and no other', () => {
  const properties = rows.flatMap(({ make }) => make().properties.map(({ name }) => name));
  const meanings = rows.flatMap(({ options }) => options.map(({ meaning }) => meaning));
  const sorted = (texts: Iterable<string>) => [...new Set(texts)].sort();
  expect(sorted(Object.keys(said.properties))).toEqual(
    sorted([...properties, ...standardProperties]),
  );
  expect(sorted(Object.keys(said.options))).toEqual(sorted(meanings));
  const networks = rows.map(({ make }) => make().topology.name);
  expect(sorted(Object.keys(said.networks))).toEqual(sorted(networks));
});

it('translates nothing by nothing, nor one text in two ways', () => {
  const pairs = [
    ...Object.values(said.pages).flatMap((page) =>
      Object.values(page).map(({ en, de }) => [en, de] as const),
    ),
    ...Object.entries(said.properties),
    ...Object.entries(said.options),
    ...Object.entries(said.networks),
  ];
  const byEnglish = new Map(pairs);
  expect(pairs.filter(([en, de]) => de === '' || de === en)).toEqual([]);
  expect(pairs.filter(([en, de]) => byEnglish.get(en) !== de)).toEqual([]);
});
