import { signal } from '@preact/signals';
import type { CatalogueRow } from '../../model/catalogue-pages.js';
import { catalogueRows } from './data.js';
import './catalogue.css';

const search = signal('');
const network = signal('');
const fault = signal('');

/** All protocols, by problem and kind. */
export function Catalogue() {
  const rows = catalogueRows();
  const shown = rows.filter(isShown);
  const groups = [...new Set(shown.map(({ group }) => group))];
  return (
    <section class="catalogue" aria-labelledby="catalogue-title">
      <header>
        <h1 id="catalogue-title">Distributed protocols, to see, move and break</h1>
        <p>Each one is a statechart. Run it by hand, check it, or read its specification.</p>
      </header>
      <search class="catalogue-filter">
        <input
          type="search"
          aria-label="Search"
          placeholder="Search: token, ring, Lamport …"
          value={search.value}
          onInput={({ currentTarget }) => {
            search.value = currentTarget.value;
          }}
        />
        <Choice
          label="Network"
          chosen={network}
          options={[...new Set(rows.map((row) => row.network))].sort()}
          all="Any network"
        />
        <Choice
          label="Tolerates"
          chosen={fault}
          options={['loss', 'duplication']}
          all="Any channels"
        />
        <span role="status">
          {shown.length} of {rows.length}
        </span>
      </search>
      {groups.map((group) => (
        <section key={group} aria-label={group}>
          <h2>{group}</h2>
          <ul class="catalogue-list">
            {shown
              .filter((row) => row.group === group)
              .map((row) => (
                <Row key={row.id} row={row} />
              ))}
          </ul>
        </section>
      ))}
      {shown.length === 0 && <p>No protocol has all of this. Remove a word or a filter.</p>}
    </section>
  );
}

function isShown({ id, name, title, idea, group, problem, ...row }: CatalogueRow): boolean {
  const text = `${id} ${name} ${title} ${idea} ${group} ${problem} ${row.network}`.toLowerCase();
  const words = search.value.toLowerCase().split(/\s+/);
  return (
    words.every((word) => text.includes(word)) &&
    (network.value === '' || row.network === network.value) &&
    (fault.value === '' || row.faults.includes(fault.value))
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly chosen: { value: string };
  readonly options: readonly string[];
  /** The words for no choice. */
  readonly all: string;
}

const Choice = ({ label, chosen, options, all }: ChoiceProps) => (
  <select
    aria-label={label}
    value={chosen.value}
    onChange={({ currentTarget }) => {
      chosen.value = currentTarget.value;
    }}
  >
    <option value="">{all}</option>
    {options.map((option) => (
      <option key={option}>{option}</option>
    ))}
  </select>
);

function Row({
  row: { id, name, title, idea, network, cost, score, verified },
}: {
  readonly row: CatalogueRow;
}) {
  const percent = `${(100 * score).toFixed(1)} %`;
  return (
    <li class="catalogue-row">
      <h3>
        <span>{id}</span> {title}
      </h3>
      <p>{idea}</p>
      <dl>
        <dt>Network</dt>
        <dd>{network}</dd>
        {cost !== '' && (
          <>
            <dt>Cost</dt>
            <dd>{cost}</dd>
          </>
        )}
        <dt title="The share of deliberate mistakes in its statechart that its properties notice">
          Mutants noticed
        </dt>
        <dd>{percent}</dd>
        <dt title="Systems too large for the tests, searched completely">Large systems verified</dt>
        <dd>{verified}</dd>
      </dl>
      <div class="catalogue-links">
        <a class="button" href={`#${name}`} aria-label={`Run ${title}`}>
          Run
        </a>
        <a
          class="button quiet"
          href={`#${name}?view=specification`}
          aria-label={`Specification of ${title}`}
        >
          Specification
        </a>
      </div>
    </li>
  );
}
